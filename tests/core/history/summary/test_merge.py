"""Lines of several cycles become one summary: each key once, with the cycle it came from."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.summary.merge import merged
from callsheet.core.history.summary.sections import SECTIONS, TWINS
from callsheet.model.history import Line

KEYS = st.sampled_from(["a.py", "b.py", "c", "d"])
LINES = st.lists(
    st.builds(
        Line,
        st.sampled_from(sorted(SECTIONS)),
        st.sampled_from(["read", "created, changed", "changed | in f(), g() | adds pooling", "words"]),
        KEYS,
        numbers=st.lists(st.integers(0, 99), max_size=3).map(lambda each: tuple(sorted(each))),
        trust=st.sampled_from(["trusted", "untrusted"]),
    ),
    max_size=12,
)


@given(st.lists(LINES, min_size=1, max_size=6))
def test_a_key_stands_once_in_its_section_and_not_in_its_twin(cycles):
    lines: tuple[Line, ...] = ()
    for cycle, drafted in enumerate(cycles, 1):
        lines = merged(lines, drafted, cycle)
        places = [(line.section, line.key) for line in lines]
        assert len(places) == len(set(places))
        assert not [line for line in lines if (TWINS.get(line.section), line.key) in places]
        assert all(1 <= line.cycle <= cycle for line in lines)


@given(LINES, LINES)
def test_joining_the_same_draft_twice_is_joining_it_once(first, second):
    once = merged(merged((), first, 1), second, 2)
    again = merged(once, second, 2)
    assert {(line.section, line.key): line.text for line in again} == {
        (line.section, line.key): line.text for line in once
    }


@given(LINES, LINES)
def test_what_was_untrusted_once_stays_so_under_its_key(first, second):
    lines = {(line.section, line.key): line for line in merged(merged((), first, 1), second, 2)}
    told = {line.section for line in second if SECTIONS[line.section].volatile}
    for line in first:
        if line.trust == "untrusted" and (line.section, line.key) in lines and line.section not in told:
            assert lines[line.section, line.key].trust == "untrusted"


def test_a_file_that_was_read_and_then_changed_is_a_changed_one_with_all_that_was_done_to_it():
    before = (Line("read", "read", "a.py", 1, (3,)),)
    after = merged(before, [Line("changed", "changed | in load() | adds a retry", "a.py", 1, (9,))], 2)
    assert after == (Line("changed", "changed, read | in load() | adds a retry", "a.py", 2, (3, 9)),)
    later = merged(after, [Line("read", "read", "a.py", 1, (12,))], 3)
    assert [(line.section, line.text, line.cycle) for line in later] == [
        ("changed", "changed, read | in load() | adds a retry", 2)
    ]


def test_how_things_stand_is_told_by_the_newest_draft_alone():
    before = (Line("next", "run the tests", "a"), Line("decisions", "use a pool because it is safe", "b"))
    after = merged(before, [Line("next", "deploy", "c")], 2)
    assert [(line.text, line.cycle) for line in after] == [("use a pool because it is safe", 1), ("deploy", 2)]


def test_the_same_decision_keeps_the_cycle_in_which_it_was_made():
    said = Line("decisions", "use a pool because it is safe", "pool", numbers=(4,))
    other = Line("decisions", "use two pools because one was full", "pool", numbers=(8,))
    assert [line.cycle for line in merged(merged((), [said], 1), [said], 2)] == [1]
    assert [(line.cycle, line.numbers) for line in merged(merged((), [said], 1), [other], 2)] == [(2, (4, 8))]
