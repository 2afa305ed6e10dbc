"""A ranking is written into callsheet.toml with all else left as it stands."""

from pathlib import Path

import pytest

from callsheet.edges.project.ranking_file import difference, with_ranking, write_ranking
from callsheet.edges.project.settings import read_settings
from callsheet.edges.project.templates import write_template
from callsheet.errors import ProjectError
from callsheet.model.knowledge_policy import Ranking


def test_a_new_table_holds_what_differs_and_nothing_else() -> None:
    assert with_ranking("# kept\n[project]\nname = 'x'\n", Ranking(k1=2.0)) == (
        "# kept\n[project]\nname = 'x'\n\n[knowledge.ranking]\nk1 = 2.0\n"
    )


def test_comments_and_other_keys_of_the_table_stay() -> None:
    text = "[knowledge]\nroute = 'single' # why\n\n[knowledge.ranking]\n# measured in May\nk1 = 1.2 # low\nb = 0.7\n"
    changed = text.replace("k1 = 1.2", "k1 = 2.0") + "title = 3.0\n"
    assert with_ranking(text, Ranking(k1=2.0, title=3.0)) == changed


@pytest.mark.parametrize("text", ["knowledge.ranking.k1 = 1.2\n", "knowledge = { ranking = { k1 = 1.2 } }\n"])
def test_the_other_ways_of_writing_a_table_are_kept(text: str) -> None:
    assert with_ranking(text, Ranking(k1=2.0)) == text.replace("1.2", "2.0")


def test_a_value_goes_back_to_the_default() -> None:
    assert with_ranking("[knowledge.ranking]\nk1 = 2.0\n", Ranking()) == f"[knowledge.ranking]\nk1 = {Ranking().k1}\n"


def test_what_is_written_is_what_the_project_reads(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    ranking = Ranking(title=5.0, k1=0.8, feedback_documents=0)
    assert "+title = 5.0" in difference(tmp_path, ranking)
    write_ranking(tmp_path, ranking)
    assert read_settings(tmp_path).knowledge.ranking == ranking
    assert difference(tmp_path, ranking) == ""


def test_a_ranking_that_the_project_cannot_have_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    before = (tmp_path / "callsheet.toml").read_bytes()
    with pytest.raises(ProjectError, match="outside"):
        write_ranking(tmp_path, Ranking(b=7.0))
    assert (tmp_path / "callsheet.toml").read_bytes() == before
