"""What stands in the block of a summary, and what is not written twice in it."""

from callsheet.core.history.summary.fit import fit
from callsheet.core.history.summary.layout import laid_out, stands
from callsheet.model.history import Line, Summary


def count(text: str) -> int:
    return (len(text) + 3) // 4


def test_a_name_that_the_index_of_results_shows_is_not_listed_once_more_and_takes_no_room():
    row = Line("results", "14 DE59451272745 9.980,80 €", "pay DE59451272745 9.980,80 €", numbers=(14,))
    names = [Line("identifiers", each, each, numbers=(14,)) for each in ("DE59451272745", "9.980,80 €", "AUF-1")]
    text = laid_out(Summary((row, *names)))
    assert text.count("DE59451272745") == 1 and text.count("9.980,80 €") == 1 and text.count("AUF-1") == 1
    assert {line.text for line in fit([row, *names], 60, count, 20)} == {row.text, *(each.text for each in names)}


def test_a_part_of_a_longer_name_is_no_place_where_a_name_can_be_read():
    assert stands("T14", "parts T14-B and T2") and not stands("T1", "parts T14-B") and not stands("14", "T14")
    names = tuple(Line("identifiers", each, each) for each in ("T149", "T14"))
    assert "T149" in laid_out(Summary(names)) and " T14\n" in laid_out(Summary(names)).replace("T149", "").replace(
        "[1] ", " "
    )
