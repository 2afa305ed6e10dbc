"""Which files a skill's instructions point to, and that no way of writing a path leads out of it."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.skills.references import inside, reachable
from callsheet.model.skill import Skill, SkillFile


def skill(body: str, texts: dict[str, str]) -> Skill:
    return Skill("a", "A.", body, files=tuple(SkillFile(path, "", 0, text) for path, text in texts.items()))


def test_what_the_instructions_point_to_is_reachable_and_so_is_what_that_points_to() -> None:
    files = dict.fromkeys(("docs/b.md", "docs/c.md", "docs/e.md"), "")
    files |= {"a.md": "Then [d](docs/d.md).", "docs/d.md": "And [e](e.md).", "f.md": "Nobody points here."}
    found = reachable(skill("See [a](a.md), `docs/b.md` and run docs/c.md.", files))
    assert found == {"a.md", "docs/b.md", "docs/c.md", "docs/d.md", "docs/e.md"}


def test_a_folder_stands_for_the_files_in_it() -> None:
    files = dict.fromkeys(("docs/a.md", "docs/b.md", "other.md"), "")
    assert reachable(skill("Examples lie in `docs/`.", files)) == {"docs/a.md", "docs/b.md"}


PARTS = st.sampled_from(["..", ".", "a", "", "%2e%2e", "%2E.", "%252e%252e", "~", "C:", "\\..", "..\\x", "a%2f..%2f.."])


@given(st.lists(PARTS, min_size=1, max_size=6), st.sampled_from(["/", "\\", "%2f", "%5c"]), st.booleans())
def test_a_path_is_either_below_the_skill_or_none(parts: list[str], between: str, rooted: bool) -> None:
    found = inside((between if rooted else "") + between.join(parts))
    if found is not None:
        assert not found.startswith(("/", "..")) and "\\" not in found and ".." not in found.split("/")


def test_a_path_inside_is_written_in_one_way() -> None:
    ways = ("a/b.md", "./a/b.md", "a//b.md", "a\\b.md", "a/c/../b.md", "a%2fb.md#x")
    assert {inside(each) for each in ways} == {"a/b.md"}
