"""Which versions are in force: by date, withdrawal and supersession, whatever order they come in."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.documents.standing import Version, cycles, in_force


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


def standing(*versions: Version, now: datetime | None = None) -> list[str]:
    current, _ = in_force(versions, now)
    return sorted(f"{versions[place].document_id}@{versions[place].version}" for place in current)


def test_the_newest_version_in_effect_stands_and_a_later_one_waits_for_its_day() -> None:
    versions = (Version("a", "v1", day(1)), Version("a", "v2", day(5)))
    assert standing(*versions, now=day(4)) == ["a@v1"] and standing(*versions, now=day(5)) == ["a@v2"]


def test_versions_without_dates_count_naturally() -> None:
    assert standing(Version("a", "v9"), Version("a", "v10"), Version("a", "v2")) == ["a@v10"]


def test_a_withdrawn_version_brings_no_earlier_one_back() -> None:
    versions = (Version("a", "v1", day(1)), Version("a", "v2", day(2), withdrawn=day(5)))
    assert standing(*versions, now=day(4)) == ["a@v2"] and standing(*versions, now=day(5)) == []


def test_a_document_that_another_supersedes_leaves_force_when_that_takes_effect() -> None:
    versions = (Version("old", "v1", day(1)), Version("new", "v1", day(5), supersedes=("old",)))
    assert standing(*versions, now=day(4)) == ["old@v1"] and standing(*versions, now=day(5)) == ["new@v1"]


def test_a_single_version_can_be_superseded_and_a_later_one_of_it_stands() -> None:
    one, two = Version("old", "v1"), Version("old", "v2")
    new = Version("new", "v1", supersedes=("old@v1", "unheard-of"))
    assert standing(one, new) == ["new@v1"] and standing(one, two, new) == ["new@v1", "old@v2"]


def test_a_chain_of_supersession_leaves_its_first_alone_in_any_order_of_names() -> None:
    for one, two, three in ("abc", "cba", "bca", "acb", "bac", "cab"):
        chain = (Version(one, "v1", supersedes=(two,)), Version(two, "v1", supersedes=(three,)), Version(three, "v1"))
        assert standing(*chain) == [f"{one}@v1"]


def test_in_a_circle_the_newest_stands_and_the_circle_is_found() -> None:
    circle = (Version("a", "v1", day(1), supersedes=("b",)), Version("b", "v1", day(2), supersedes=("a",)))
    assert standing(*circle) == ["b@v1"] and list(cycles(circle)) == [("a", "b")]
    assert list(cycles((Version("a", "v1", supersedes=("b",)), Version("b", "v1")))) == []


names = st.sampled_from("abcd")
versions = st.lists(
    st.builds(
        Version,
        names,
        st.sampled_from(["v1", "v2", "v3"]),
        st.integers(1, 5).map(day),
        st.none() | st.integers(1, 9).map(day),
        st.lists(names, max_size=2).map(tuple),
    ),
    max_size=8,
    unique_by=lambda each: (each.document_id, each.version),
)


@given(versions, st.integers(1, 9).map(day), st.randoms(use_true_random=False))
def test_the_order_of_versions_changes_nothing_and_nothing_from_the_future_has_a_part(given, now, random) -> None:
    shuffled = random.sample(given, len(given))
    past = [each for each in given if each.effective <= now]
    assert standing(*given, now=now) == standing(*shuffled, now=now) == standing(*past, now=now)
    current, old = in_force(given, now)
    assert current | old == {place for place, each in enumerate(given) if each.effective <= now} and not current & old
    assert len({given[place].document_id for place in current}) == len(current)
