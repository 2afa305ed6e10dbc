"""What a document states of itself: checked, with the key and the way out where it is wrong."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.documents.matter import stated
from callsheet.errors import UsageError

from .made import all_of, one_of


def test_everything_a_document_may_state_is_read() -> None:
    data = {
        "id": "keys", "title": "Keys", "version": 7, "scope": "staff", "language": "de",
        "supersedes": ["keys@v6", "old"],
        "effective": date(2026, 3, 1), "review_by": "2027-01-01T12:00:00+02:00", "authority": 0.5, "weight": 3,
    }  # fmt: skip
    found = stated(data, "a.md", "a")
    assert (found.id, found.title, found.version, found.scope, found.language) == ("keys", "Keys", "7", "staff", "de")
    assert found.supersedes == ("keys@v6", "old") and found.authority == 0.5
    assert found.effective == datetime(2026, 3, 1, tzinfo=UTC)
    assert found.review_by == datetime(2027, 1, 1, 10, tzinfo=UTC)
    assert found.keys == set(data) - {"weight"} and found.notes == ()


def test_a_document_that_states_nothing_is_v1_of_its_file() -> None:
    found = stated({}, "a.md", "a")
    assert (found.id, found.version, found.scope, found.authority, found.keys) == ("a", "v1", None, 1.0, frozenset())


@pytest.mark.parametrize(
    ("span", "due"),
    [
        ("6 months", datetime(2025, 2, 28, tzinfo=UTC)),
        ("1 month", datetime(2024, 9, 30, tzinfo=UTC)),
        ("2 weeks", datetime(2024, 9, 14, tzinfo=UTC)),
        ("90 days", datetime(2024, 11, 29, tzinfo=UTC)),
        ("1 Year", datetime(2025, 8, 31, tzinfo=UTC)),
    ],
)
def test_a_review_is_due_so_long_after_the_last(span: str, due: datetime) -> None:
    found = stated({"last_reviewed_on": date(2024, 8, 31), "review_in": span}, "a.md", "a")
    assert found.review_by == due and "review_by" in found.keys


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"id": "my keys"}, "id = 'my keys' cannot stand in a citation"),
        ({"version": "v#1"}, "version = 'v#1' cannot stand in a citation"),
        ({"version": [1]}, r"version = \[1\] is no text"),
        ({"scope": {"a": 1}}, "scope = {'a': 1} is no text"),
        ({"scope": True}, "scope = True is no text"),
        ({"effective": "yesterday"}, "effective = 'yesterday' is no date that can be read; write 2026-11-29"),
        ({"effective": 7}, "effective = 7 is no date"),
        ({"authority": "high"}, "authority = 'high' is no number"),
        ({"authority": 2}, "authority = 2.0 lies outside"),
        ({"authority": float("nan")}, "authority = nan lies outside"),
        ({"authority": True}, "authority"),
        ({"supersedes": [1]}, r"supersedes = \[1\] is no text"),
        ({"supersedes": "a, b"}, "supersedes = 'a, b' is no id of a document; write a list"),
        ({"supersedes": ["a", ""]}, "supersedes = '' is no id of a document; write a list"),
        ({"review_in": "soon"}, "review_in = 'soon' is no span of time; write `6 months`"),
        ({"last_reviewed_on": "9999-01-01", "review_in": "9 years"}, "review_in = '9 years' ends after the year 9999"),
    ],
)
def test_what_is_wrong_is_refused_with_its_key_and_the_way_out(data: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=rf"a\.md: {said}"):
        stated(data, "a.md", "a")


def test_a_key_that_is_nearly_one_is_noted_and_others_are_left_alone() -> None:
    found = stated({"efective": "2026-01-01", "weight": 7, "tags": []}, "a.md", "a")
    assert found.notes == ("a.md: 'efective' is not read; did you mean 'effective'?",)


@pytest.mark.parametrize(
    ("key", "meant"), [("effective_date", "effective"), ("valid-from", "effective"), ("Expires", "withdrawn")]
)
def test_a_date_under_another_tools_name_is_noted_for_it_decides_what_is_served(key: str, meant: str) -> None:
    (note,) = stated({key: "2026-01-01", "date": "2026-01-01"}, "a.md", "a").notes
    assert note == f"a.md: {key!r} is not read; did you mean {meant!r}?"


def test_a_name_that_cannot_stand_in_a_citation_is_written_as_in_a_url(tmp_path: Path) -> None:
    assert one_of(tmp_path, "My Guide #1 @ 100%.md", "text").document_id == "My%20Guide%20%231%20%40%20100%25"


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("front", "said"),
    [
        (LAUGHS, "uses YAML anchors and aliases; write the values out"),
        ("a: [1\nb: 2\n", r"a\.md:3: not YAML"),
        ("- a\n- b\n", "is not a mapping"),
        ("a: " + "[" * 5_000 + "]" * 5_000 + "\n", "not YAML"),
        ("a: " + "x" * 70_000 + "\n", "has 70,004 characters, and 65,536 are allowed"),
        ("effective: 2026-13-45\n", r"a\.md: effective = '2026-13-45' is no date that can be read"),
    ],
)
def test_a_front_matter_that_is_wrong_is_refused_with_its_line(tmp_path: Path, front: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        all_of(tmp_path, "a.md", f"---\n{front}---\ntext\n")


def test_values_are_read_as_they_are_written_and_never_run(tmp_path: Path) -> None:
    front = "version: 1.10\nauthority: 0.5\nscope:\neffective: null\nsupersedes: [a, b@v1]\n"
    front += "title: !!python/object/apply:os.getcwd []\n"
    with pytest.raises(UsageError, match=r"title = \[\] is no text"):
        one_of(tmp_path, "a.md", f"---\n{front}---\ntext")
    document = one_of(tmp_path, "a.md", f"---\n{front.replace('!!python/object/apply:os.getcwd []', 'yes')}---\ntext")
    assert (document.version, document.authority, document.scope, document.title) == ("1.10", 0.5, None, "yes")
    assert document.supersedes == ("a", "b@v1")


@pytest.mark.parametrize("text", ["---\n", "--- \nnot closed", "text\n---\nid: x\n---\n", "----\nid: x\n----\n"])
def test_what_is_no_front_matter_is_text(tmp_path: Path, text: str) -> None:
    assert one_of(tmp_path, "a.md", text).text == text


def test_a_front_matter_may_be_empty_or_end_with_the_file(tmp_path: Path) -> None:
    assert one_of(tmp_path, "a.md", "---\n---\ntext").text == "text"
    with pytest.raises(UsageError, match=r"b\.md holds no text"):
        one_of(tmp_path, "b.md", "---\nid: x\n---")
