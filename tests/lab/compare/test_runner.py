"""Many transcripts: what is finished is kept, what fails says why, and the sums are sums."""

import json
from pathlib import Path

import pytest

from callsheet.errors import UsageError
from callsheet.lab.compare.billing import Bill
from callsheet.lab.compare.report import report
from callsheet.lab.compare.row import Row, read, total, written
from callsheet.lab.compare.runner import Answered, chosen, compare
from callsheet.lab.compare.survival import Survival

POLICIES = ("as recorded", "full")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A conversation in the form of OpenAI's messages, with usage of none of its calls."""
    messages = [{"role": "user", "content": "look at ORD-4417"}, {"role": "assistant", "content": "ORD-4417 is sent"}]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": messages * 2}), encoding="utf-8")
    return path


def row(name: str, tokens: int, fates: str) -> Row:
    kept = Survival(len(fates), fates.count("1"), 0)
    return Row(name, Bill(input=tokens, cost=1.0, rounds=1), {"number": kept}, (3,), fates, 0.5)


def test_a_row_is_read_as_it_was_written() -> None:
    made = row("full", 7, "101")
    assert read(json.loads(json.dumps(written(made)))) == made


def test_rows_add_up_and_an_unknown_cost_makes_the_sum_unknown() -> None:
    both = total(
        [row("full", 7, "10"), Row("full", Bill(input=5, cost=None), {"number": Survival(1, 0, 1)}, (4,), "0")]
    )
    assert (both.bill.input, both.bill.cost, both.fates, both.alike) == (12, None, "100", (3, 4))
    assert both.survival == {"number": Survival(3, 1, 1)}


def test_a_row_that_a_defect_left_without_figures_leaves_the_sum_without() -> None:
    both = total([row("full", 7, "1"), Row("full", failed="lost message 3")])
    assert both.failed == "lost message 3" and both.bill == Bill()


def test_a_policy_is_held_against_the_whole_history_pair_by_pair() -> None:
    answer = Answered(Path("a"), (row("compaction", 5, "100110"), row("full", 10, "111111")), {})
    (only,) = report([answer], ["compaction"])["policies"]
    assert only["beside_full"] == {"tokens": 0.5, "cost": 1.0, "gained": 0, "missed": 3, "p": 0.25}
    assert (only["survival"]["share"], only["survival"]["lost"]) == (0.5, 3)


def test_what_is_finished_is_not_made_again_and_other_settings_are(chat: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    (first,) = compare([chat], POLICIES, kept=kept)
    (again,) = compare([chat], POLICIES, kept=kept)
    assert again.rows == first.rows  # the seconds of the first run, too
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 1
    list(compare([chat], POLICIES, kept=kept, window=5_000))
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 2


def test_a_line_that_was_cut_off_is_made_again_and_a_foreign_file_is_refused(chat: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    list(compare([chat], POLICIES, kept=kept))
    whole = kept.read_text(encoding="utf-8")
    kept.write_text(whole[: len(whole) // 2], encoding="utf-8")
    (answer,) = compare([chat], POLICIES, kept=kept)
    assert answer.rows and not answer.why
    for window in (None, 7_000, 7_000):
        (again,) = compare([chat], POLICIES, kept=kept, window=window)
        assert again.rows
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 3
    kept.write_text("notes of mine\nand more\n", encoding="utf-8")
    with pytest.raises(UsageError, match="line 1, is no kept result"):
        list(compare([chat], POLICIES, kept=kept))


def test_a_file_that_is_no_transcript_says_why_and_the_others_are_compared(chat: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    document = report(list(compare([other, chat], POLICIES)), POLICIES)
    assert [each["source"] for each in document["others"]] == [str(other)] and document["others"][0]["why"]
    assert [each["source"] for each in document["transcripts"]] == [str(chat)]


def test_two_files_of_the_same_bytes_are_two_transcripts(chat: Path, tmp_path: Path) -> None:
    other, kept = tmp_path / "second.json", tmp_path / "kept.jsonl"
    other.write_bytes(chat.read_bytes())
    for _ in range(2):
        assert [each.path for each in compare([chat, other], POLICIES, kept=kept)] == [chat, other]


def test_processes_give_the_same_rows(chat: Path, tmp_path: Path) -> None:
    other = tmp_path / "second.json"
    other.write_text(chat.read_text(encoding="utf-8").replace("4417", "9021"), encoding="utf-8")
    alone = {each.path: each.rows for each in compare([chat, other], POLICIES)}
    together = {each.path: each.rows for each in compare([chat, other], POLICIES, jobs=2, small=0)}
    assert {path: [(r.bill, r.survival) for r in rows] for path, rows in together.items()} == {
        path: [(r.bill, r.survival) for r in rows] for path, rows in alone.items()
    }


def test_an_unknown_policy_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no policy is called squeeze; name some of: as recorded, full"):
        chosen("full,squeeze")
    assert chosen("compaction, full,compaction") == ("compaction", "full")
