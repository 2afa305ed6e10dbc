"""A trial asks the project's own index; what it learns from never holds the answer to the question that is asked."""

from dataclasses import replace
from pathlib import Path

from callsheet.edges.project.templates import write_template
from callsheet.host.host import open_host
from callsheet.lab.tune.labels import Label
from callsheet.lab.tune.measures import ndcg
from callsheet.lab.tune.trial import Trial
from callsheet.model.knowledge_policy import Ranking

DOCUMENTS = [
    {"id": name, "version": "v1", "text": f"Pelicans go where it is warm, says {name}."} for name in ("north", "south")
]
ASKED = Label("where do pelicans go", frozenset({"south"}))
NEAR = Label("where do the pelicans go to", frozenset({"south#text"}))
LEARNING = replace(Ranking(), experience=2.0)


def found(folder: Path, developed: list[Label], ranking: Ranking) -> list[str]:
    with open_host(folder, folder / "data") as host:
        host.ingest(DOCUMENTS)
        trial = Trial(host, host.session(), [ASKED], ndcg, developed)
        return [each.document_id for each in trial.found(ranking)[0]]


def test_a_label_does_not_tell_its_own_answer_and_a_near_one_does(tmp_path: Path) -> None:
    write_template("empty", tmp_path)
    assert found(tmp_path, [], LEARNING) == ["north", "south"]
    assert found(tmp_path, [ASKED], LEARNING) == ["north", "south"]
    assert found(tmp_path, [ASKED, NEAR], LEARNING) == ["south", "north"]
    assert found(tmp_path, [ASKED, NEAR], Ranking()) == ["north", "south"]
