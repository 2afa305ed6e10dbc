"""Labels are read strictly, and halves of them share nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callsheet.errors import UsageError
from callsheet.lab.tune.labels import FEWEST, Label, check_known, halves, read_labels


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rows(number: int) -> list[dict[str, Any]]:
    return [{"question": f"what is part {n}", "relevant": [f"part-{n}"]} for n in range(number)]


def test_a_label_has_a_question_what_answers_it_and_whose_grants_ask(tmp_path: Path) -> None:
    more = {"question": "who", "relevant": ["a#b"], "irrelevant": ["c"], "grants": ["y", "x"]}
    last = read_labels(written(tmp_path, [*rows(FEWEST), more]))[-1]
    assert (last.relevant, last.irrelevant, last.grants) == (frozenset({"a#b"}), frozenset({"c"}), ("x", "y"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"relevant": ["a"]}, "needs a text under 'question'"),
        ({"question": "who"}, "needs the ids of what answers it"),
        ({"question": "who", "relevant": "a"}, "needs a list of texts under 'relevant'"),
        ({"question": "who", "relevant": ["a"], "irrelevant": ["a"]}, "relevant and irrelevant"),
        ({"question": "who", "relevent": ["a"]}, "did you mean 'relevant'"),
        ({"question": "What is  PART 3?", "relevant": ["b"]}, "labels.jsonl:4 asks"),
    ],
)
def test_a_line_that_is_no_label_is_named(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=r"labels.jsonl:21") as raised:
        read_labels(written(tmp_path, [*rows(FEWEST), row]))
    assert said in str(raised.value)


def test_too_few_labels_are_refused_with_how_many_it_takes(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"has 19 labels; tuning needs {FEWEST}"):
        read_labels(written(tmp_path, rows(19)))


def test_an_id_that_whoever_asks_may_not_see_is_unknown() -> None:
    def seen(grants: tuple[str, ...]) -> frozenset[str]:
        return frozenset({"open", "closed"} if "staff" in grants else {"open"})

    check_known([Label("who", frozenset({"closed"}), grants=("staff",))], seen, ())
    with pytest.raises(UsageError, match="there is no 'closed'"):
        check_known([Label("who", frozenset({"closed"}), grants=())], seen, ("staff",))
    with pytest.raises(UsageError, match=r"there is no 'opne' .* did you mean 'open'"):
        check_known([Label("who", frozenset({"opne"}))], seen, ())


@given(some.sets(some.text(min_size=1), min_size=2, max_size=30), some.integers(0, 5), some.randoms())
def test_halves_are_disjoint_whole_even_and_the_same_in_any_order(questions: set[str], seed: int, chance: Any) -> None:
    labels = [Label(question, frozenset({"a"})) for question in sorted(questions)]
    one, other = halves(labels, seed)
    assert {*one, *other} == set(labels)
    assert not {*one} & {*other}
    assert 0 <= len(one) - len(other) <= 1
    chance.shuffle(labels)
    assert halves(labels, seed) == (one, other)
