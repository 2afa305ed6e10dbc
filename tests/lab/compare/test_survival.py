"""What survives: each use of a fact, whether it was in the window then, addressable, or lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.lab.compare.conditions import Condition
from callsheet.lab.compare.gathered import gather
from callsheet.lab.compare.refetches import Refetches, touched
from callsheet.lab.compare.replay import FULL, Sent, replay, setting
from callsheet.lab.compare.survival import Kept, Survival, Surviving
from callsheet.lab.compare.timeline import Recorded
from callsheet.model.history import Shown, Standing, View
from callsheet.model.message import Message, TextBlock
from callsheet.model.transcript import Event

from .recordings import call, one, result, round_, said, words

ORDER = "please look at ORD-4417 for me"


def followed(held: Recorded, views: list[View]) -> Kept:
    """What survives in these views, one for each round."""
    surviving = Surviving(gather(held))
    for each, view in zip(held.timeline.rounds, views, strict=True):
        surviving.take(Sent(each, Condition(0), view, Standing(), ()))
    return surviving.result()


def shown(text: str, *numbers: int) -> Shown:
    return Shown(Message("user", (TextBlock(text=text),)), 1, numbers, "kept" if numbers else "summary")


def order() -> Recorded:
    """A person names an order; the second reply uses it."""
    return one([said("person", ORDER), *round_(1, "on it"), *round_(2, call("a", "lookup", order="ORD-4417"))])


def test_a_fact_in_the_window_when_it_is_used_has_survived() -> None:
    kept = followed(order(), [View((shown(ORDER, 0),)), View((shown(ORDER, 0), shown("on it", 1)))])
    assert kept.kinds == {"identifier": Survival(1, 1, 0)} and kept.fates == (True,)


def test_a_fact_in_a_summary_word_for_word_has_survived() -> None:
    kept = followed(order(), [View((shown(ORDER, 0),)), View((shown("about order ORD-4417"),))])
    assert kept.kinds["identifier"] == Survival(1, 1, 0)


def test_a_fact_whose_message_a_summary_stands_for_is_addressable() -> None:
    kept = followed(order(), [View((shown(ORDER, 0),)), View((shown("about an order", 0, 1),))])
    assert kept.kinds["identifier"] == Survival(1, 0, 1)


def test_a_summary_of_the_same_words_that_stands_for_more_or_less_is_counted_anew() -> None:
    before = View((shown("about an order", 0),))
    assert followed(order(), [before, View((shown("about an order", 0, 1),))]).kinds["identifier"].addressable == 1
    assert followed(order(), [before, View((shown("about an order", 1),))]).kinds["identifier"].lost == 1


def test_a_fact_that_nothing_in_the_window_stands_for_is_lost() -> None:
    kept = followed(order(), [View((shown(ORDER, 0),)), View((shown("on it", 1),))])
    assert kept.kinds["identifier"].lost == 1 and kept.fates == (False,)


def test_what_the_window_lost_and_shows_again_is_there_again() -> None:
    held = one([said("person", ORDER), *round_(1, "on it"), *round_(2, "wait"), *round_(3, "ORD-4417 is sent")])
    views = [View((shown(ORDER, 0),)), View((shown("on it", 1),)), View((shown(ORDER, 0), shown("on it", 1)))]
    assert followed(held, views).kinds["identifier"] == Survival(1, 1, 0)


def test_a_fact_that_the_model_brings_up_itself_is_not_used_before_it_was_said() -> None:
    assert followed(one([said("person", "hi"), *round_(1, "it is ORD-4417")]), [View(())]).kinds == {}


def test_look_alikes_beside_a_fact_in_use_are_counted_and_other_things_are_not() -> None:
    crowded = "ORD-4417 INV-9021 TKT-1180 ORD-44171 hello"
    kept = followed(order(), [View((shown(ORDER, 0),)), View((shown(crowded, 0),))])
    assert kept.alike == (2,)


def test_a_standing_rule_is_held_to_at_each_later_turn_and_in_the_last_round() -> None:
    events = [
        said("person", "Never touch the migrations."),
        *round_(1, "ok"),
        said("person", "go on"),
        *round_(2, "ok"),
    ]
    rule, gone = shown("Never touch the migrations.", 0), shown("go on", 2)
    kept = followed(one(events), [View((rule,)), View((gone,))])
    assert kept.kinds["rule"] == Survival(2, 1, 0)


def test_a_path_of_the_artifact_index_counts_as_it_is_written_in_the_folder() -> None:
    read = said("model", call("a", "Read", file_path="/repo/src/app.py"), response="r1", facts={"cwd": "/repo"})
    events: list[Event] = [said("person", "go", facts={"cwd": "/repo"}), *round_(1)[:1], read]
    events += [said("tool", result("a", "x = 1"), facts={"cwd": "/repo"})]
    events += round_(2, call("b", "Edit", file_path="/repo/src/app.py", old_string="1", new_string="2"))
    views = [View((shown("go", 0),)), View((shown("changed src/app.py", 0, 1, 2),))]
    assert followed(one(events), views).kinds["path"] == Survival(1, 1, 0)


texts = st.lists(st.sampled_from(["ORD-4417", "retry_limit", "src/a/b.py", "4417", "word"]), min_size=1, max_size=4)


@settings(max_examples=40)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_the_whole_history_loses_nothing(turns: list[tuple[list[str], list[str]]]) -> None:
    events: list[Event] = []
    for number, (asked, answered) in enumerate(turns):
        events += [said("person", " ".join(asked)), *round_(number, " ".join(answered))]
    held = one(events)
    surviving = Surviving(gather(held))
    for each in replay(FULL, setting(held, words, 10_000)):
        surviving.take(each)
    for kept in surviving.result().kinds.values():
        assert kept.used == kept.in_window


def reading() -> Recorded:
    """A file is read, and edited two rounds later."""
    events = [
        said("person", "go"),
        *round_(1, call("a", "Read", file_path="/r/a.py")),
        said("tool", result("a", "x " * 30)),
    ]
    events += [
        *round_(2, "thinking"),
        *round_(3, call("b", "Edit", file_path="/r/a.py", old_string="x", new_string="y")),
    ]
    return one([*events, said("tool", result("b", "done")), *round_(4, "fine")])


def due(*standings: Standing) -> list[tuple[tuple[int, ...], int]]:
    held = reading()
    files = Refetches(touched(held, held.timeline.entries))
    both = zip(held.timeline.rounds, standings, strict=True)
    return [files.due(each.number, each.before, standing) for each, standing in both]


def test_an_edit_of_a_file_whose_content_stands_in_the_window_reads_nothing_again() -> None:
    assert due(*[Standing()] * 4) == [((), 0)] * 4


def test_an_edit_of_a_file_whose_content_was_cleared_reads_it_again_and_it_stands_there_from_then_on() -> None:
    cleared = Standing(cleared={(2, 0): "cleared"})
    assert due(Standing(), cleared, cleared, cleared) == [((), 0), ((), 0), ((30,), 0), ((), 30)]


def test_what_was_read_again_leaves_the_window_with_the_messages_beside_it() -> None:
    covered, all_gone = Standing(covered=3), Standing(covered=5)
    assert due(Standing(), covered, covered, all_gone)[2:] == [((30,), 0), ((), 0)]
