"""Items: a round renders, escapes, hashes and counts only what is new, in a cache with a bound (invariant 6)."""

from dataclasses import replace

from callsheet.core.render.fragment import fragment
from callsheet.core.sources.conversation import observation_item, question_item
from callsheet.core.sources.knowledge import evidence_item
from callsheet.drive.gather import joined
from callsheet.drive.items import Items, Work
from callsheet.model.evidence import Evidence
from callsheet.model.item import ContextItem
from callsheet.model.task import Task
from callsheet.model.tool import Observation
from tests.core.world import NOW, Words, evidence, session


class Counting(Words):
    """A counter that keeps what it was asked to count."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return super().count(text)


def held(number: int) -> Evidence:
    found = evidence(f"d@v1#{number}", f"text {number}").record
    assert isinstance(found, Evidence)
    return found


def round_of(items: Items, number: int) -> list[ContextItem]:
    """Round N of a session: N findings and N observations, all but one of each known from the round before."""
    found = [items.made(held(n), lambda n=n: evidence_item(held(n), NOW, 0.5)) for n in range(number)]
    seen = [Observation("check", "ok", {}, {"n": n}, f"toolrun://r.{n}/1") for n in range(number)]
    drafts = [items.measured(each) for each in (question_item(Task("Why?", "r", number), session()),)]
    return found + drafts + [items.measured(observation_item(each, session())) for each in seen]


def test_round_n_renders_and_counts_only_what_is_new() -> None:
    counter = Counting()
    items = Items(counter)
    round_of(items, 1)
    for number in range(2, 30):
        before = replace(items.work)
        assert len(round_of(items, number)) == 2 * number + 1
        assert items.work == Work(before.rendered + 1, before.counted + 2)
    assert len(counter.counted) == len(set(counter.counted)) == items.work.counted


def test_a_text_seen_before_gives_the_very_same_fragment() -> None:
    items = Items(Words())
    one, other = (items.measured(replace(evidence(), item_id=each, fragment=None)) for each in ("a", "b"))
    assert one.fragment is other.fragment and one.fragment == fragment(one.text, one.token_count)
    assert one.token_count == len(one.text.split()) and (one.item_id, other.item_id) == ("a", "b")


def test_an_item_is_measured_without_its_secrets_however_often_it_comes() -> None:
    items = Items(Words())
    secret = replace(evidence(), text="The key is sk_live_Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9 today.")
    for made in (items.measured(secret), items.measured(secret)):
        assert made.text == "The key is [redacted:api-key] today." and made.fragment is not None
        assert made.fragment.data.decode() == made.text and made.token_count == 5


def test_the_cache_is_bounded_and_what_fell_out_is_made_again() -> None:
    items = Items(Words(), limit=3)
    for number in [*range(10), 9, 0]:
        items.made(number, lambda number=number: evidence(f"d@v1#{number}", f"text {number}"))
    assert len(items._items) == len(items._texts) == 3
    assert items.work == Work(rendered=11, counted=11)


def test_a_section_that_stands_in_two_stores_with_one_text_is_one_section() -> None:
    own, shared = replace(held(1), tenant_id="t1"), replace(held(1), tenant_id="shared", rank=7)
    assert joined([[own], [shared]]) == [own]
    other = replace(shared, text="another text under the same id")
    assert joined([[own], [other]]) == [own, other]
