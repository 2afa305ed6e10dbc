"""Probes made by code ask for one exact value that stands in one place alone."""

from callsheet.core.history.recorded.entries import entry
from callsheet.lab.probes.made import made_probes
from callsheet.lab.probes.split import judge
from callsheet.model.diagnosis import Artifact, Artifacts
from callsheet.model.history import Timeline
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock

from .talking import COUNT


def said(role: str, *blocks: object) -> Message:
    return Message(role, tuple(TextBlock(text=each) if isinstance(each, str) else each for each in blocks))  # type: ignore[arg-type,misc]


def talk(*messages: Message) -> Timeline:
    return Timeline(tuple(entry(number, each, COUNT) for number, each in enumerate(messages)), ())


STORY = talk(
    said("user", "Our staging host is called db-4471.internal and nothing else. Port 6432 and 6433 are both taken."),
    said("assistant", CallBlock(id="c1", name="read_config", arguments={"path": "app.toml"})),
    said("tool", ResultBlock(call_id="c1", blocks=(TextBlock(text="pool_size_limit = 17\nregion_name = x"),))),
    said("assistant", "The setting pool_size_limit is small."),
    said("user", "We decided to keep at most 250 rows in each batch from now on."),
    said("user", "Now go on and rename the module billing_core to something that reads better."),
)


def test_what_a_person_stated_is_asked_with_a_gap_and_settled_things_as_decisions() -> None:
    probes = {probe.id: probe for probe in made_probes(STORY)}

    assert {probe.kind: probe.expected for probe in probes.values()} == {
        "recall": (("db-4471.internal",),),
        "decision": (("250",),),
        "continuation": (("billing_core",),),
        "source": (("read_config",),),
    }
    assert "is called ____ and nothing else" in probes["recall-0-0"].phrasings[0]
    assert all(len(set(probe.phrasings)) == 6 for probe in probes.values())


def test_no_probe_gives_its_own_answer_away() -> None:
    for probe in made_probes(STORY):
        for phrasing in probe.phrasings:
            assert judge(phrasing, probe, frozenset()).verdict != "right"


def test_a_value_said_twice_or_brought_up_by_two_tools_is_not_asked_for() -> None:
    twice = talk(
        said("user", "The limit of the whole thing is 384 for now."),
        said("user", "I repeat that the limit is 384 for now."),
        said("assistant", CallBlock(id="a", name="one", arguments={}), CallBlock(id="b", name="two", arguments={})),
        said("tool", ResultBlock(call_id="a", blocks=(TextBlock(text="key_of_all"),))),
        said("tool", ResultBlock(call_id="b", blocks=(TextBlock(text="key_of_all"),))),
        said("assistant", "key_of_all it is"),
    )
    assert made_probes(twice) == ()


def test_the_file_changed_last_is_asked_for_beside_the_other_changed_ones() -> None:
    artifacts = Artifacts(
        (Artifact("src/a.ts", writes=(3, 9)), Artifact("src/b.ts", writes=(7,)), Artifact("src/c.ts", reads=(11,)))
    )
    (probe,) = [each for each in made_probes(STORY, artifacts) if each.kind == "artifact"]

    assert (probe.expected, probe.neighbours) == ((("src/a.ts", "a.ts"),), ("src/b.ts",))


def test_at_most_so_many_of_a_kind_are_made_spread_over_the_conversation() -> None:
    numbers = (f"The number of the box in row {row} is {4000 + row} today." for row in range(8))
    long = talk(*(said("user", each) for each in numbers), said("user", "Go on."))

    ids = [probe.id for probe in made_probes(long, most=3) if probe.kind == "recall"]
    assert ids == ["recall-0-0", "recall-3-0", "recall-6-0"]
