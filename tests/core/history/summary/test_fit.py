"""What gives way to a summary's limit, in which order, and what is said of it."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.summary.fit import OLDER, fit, is_firm
from callsheet.core.history.summary.layout import body
from callsheet.core.history.summary.sections import DOMAINS
from callsheet.model.history import Line, Summary

from ..dialogue import count


def kept(lines: list[Line], limit: int, newest: int = 100) -> list[Line]:
    """The lines that stay."""
    return list(fit(lines, limit, count, newest))


def size(lines: list[Line]) -> int:
    """The tokens of the lines as they are written, by a reading of their own."""
    return count("\n".join(body(Summary(tuple(lines), domain="coding"))))


def test_everything_stays_where_there_is_room():
    lines = [Line("decisions", f"use {at} because it fits", str(at), numbers=(at,)) for at in range(9)]
    assert kept(lines, 2_000) == lines


def test_a_command_gives_way_before_a_path_a_rule_or_a_reason():
    firm = [
        Line("changed", "changed", "src/a.py", numbers=(1,)),
        Line("rules", "Never push to main.", "r", numbers=(0,), quote=True),
        Line("decisions", "use a pool because clients go stale", "d", numbers=(2,)),
        Line("errors", "TypeError: x is not a function (of make)", "e", numbers=(3,)),
    ]
    soft = [
        Line("commands", f"make target-{at} --verbose --with-a-long-flag", str(at), numbers=(50,)) for at in range(40)
    ]
    left = kept(firm + soft, 250)
    assert left[:4] == firm
    assert 0 < len(left) - 4 < 40


def test_of_names_those_that_came_up_lately_and_often_stay():
    names = [Line("identifiers", f"name_{at}", f"name_{at}", numbers=(at,)) for at in range(100)]
    often = Line("identifiers", "fetch_user", "fetch_user", numbers=(2, 5, 9, 14, 20, 40))
    left = {line.text for line in kept([*names, often], 100)}
    assert "name_99" in left and "name_10" not in left and "fetch_user" in left


def test_in_the_least_room_a_name_stands_before_a_title_that_has_nothing_under_it():
    lines = [
        Line("next", "I will look at all the parts of the code and then see what is to be done there.", "n"),
        Line("commands", "run every check of the whole project once more, slowly", "c", numbers=(1,)),
        Line("identifiers", "read_part", "read_part", numbers=(9,)),
    ]
    assert [line.key for line in kept(lines, 20)] == ["read_part"]


def test_details_of_the_oldest_files_go_before_any_path_does():
    files = [
        Line("changed", "changed | in load(), save() | adds a retry to it", f"src/module_{at}.py", numbers=(at,))
        for at in range(20)
    ]
    left = kept(files, 400)
    assert [line.key for line in left] == [line.key for line in files]
    assert left[0].text == "changed" and left[-1].text == files[-1].text


def test_where_firm_lines_alone_are_too_many_the_oldest_give_way_and_one_line_says_where_they_stand():
    files = [Line("read", "read", f"src/some/folder/module_{at}.py", numbers=(at,)) for at in range(60)]
    rule = Line("rules", "Never push to main.", "r", numbers=(0,), quote=True)
    left = kept([rule, *files], 300)
    (older,) = [line for line in left if line.key == OLDER]
    gone = 60 - len([line for line in left if line.section == "read" and line.key != OLDER])
    assert left[0] == rule
    assert older.text == f"{gone} older ones gave way, in messages 0-{gone - 1}"
    again = kept(
        [*left, *(Line("read", "read", f"new/folder/module_{at}.py", numbers=(60 + at,)) for at in range(30))], 300
    )
    (later,) = [line for line in again if line.key == OLDER]
    total = len([line for line in again if line.section == "read" and line.key != OLDER])
    assert int(later.text.split()[0]) + total == 90


@given(
    st.lists(
        st.builds(
            Line,
            st.sampled_from(DOMAINS["coding"]),
            st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=120),
            st.uuids().map(str),
            numbers=st.integers(0, 500).map(lambda at: (at,)),
        ).filter(lambda line: line.section != "rules"),
        max_size=60,
    ),
    st.integers(400, 1_500),
)
def test_the_limit_holds_and_nothing_is_made_up(lines, limit):
    left = kept(lines, limit, 500)
    assert size(left) <= limit
    assert {line.key for line in left if line.key != OLDER} <= {line.key for line in lines}
    if sum(map(is_firm, lines)) == len(lines) == len(left):
        assert [line.key for line in left] == [line.key for line in lines]
