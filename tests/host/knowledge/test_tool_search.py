"""Tools are searched as evidence is: inside the scope, by the same ranking."""

from callsheet.host.knowledge.tool_search import ToolSearch
from callsheet.model.tool import ListedTool

TOOLS = (
    ListedTool("git_commit", "Records changes to the repository.", server="git"),
    ListedTool("rotate_key", "Replaces an API key by a new one.", scope="admin"),
    ListedTool("key_status", "Says whether an API key is active."),
    ListedTool("forecast", "Weather. " + "More about the weather of every place. " * 60),
)


def test_the_tool_that_the_request_names_comes_first() -> None:
    with ToolSearch(TOOLS) as search:
        assert search.search("commit my changes")[0].name == "git_commit"


def test_a_tool_in_a_scope_is_no_candidate_and_moves_no_score_for_those_without_it() -> None:
    with ToolSearch(TOOLS) as search, ToolSearch([tool for tool in TOOLS if tool.scope is None]) as without:
        assert search.search("replace an api key") == without.search("replace an api key")
        assert search.search("replace an api key", grants=("admin",))[0].name == "rotate_key"


def test_a_tool_of_many_sections_is_found_once() -> None:
    with ToolSearch(TOOLS) as search:
        assert [tool.name for tool in search.search("weather of a place", limit=3)].count("forecast") == 1


def test_a_tool_of_many_sections_takes_no_other_ones_place() -> None:
    tools = (*TOOLS, ListedTool("almanac", "The weather of a place in earlier years, and much else beside that."))
    with ToolSearch(tools) as search:
        assert {tool.name for tool in search.search("weather of a place", limit=2)} == {"forecast", "almanac"}
