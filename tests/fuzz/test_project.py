"""A spoiled project, session file or ledger, odd words on the command line: an answer, or one line that helps."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.edges.project.templates import write_template

from .command import answered
from .conftest import Fuzz
from .spoiling import TEXTS, damage

pytestmark = pytest.mark.fuzz
QUESTION = "Why is my API key not working?"
TOKENS = (
    *("true", "[]", "{}", '""', "-1", "0", "1e999", "nan", "-inf", "999999999999999999999", "2026-13-01", "'x'"),
    *("---\n", ": ", "\t", "\0", "!!python/object:os.system x", "&a [*a, *a]", "*a", "? x", "| x", "\ufeff", "<<: *a"),
)  # fmt: skip
SESSION = 'tenant = "acme"\nactor = "customer:u1"\nsubject = "u1"\nlocale = "en"\ngrants = ["internal"]\n'
COMMANDS = (("assemble", QUESTION), ("assemble", QUESTION), ("lint",), ("search", "api key"), ("memory", "list"))


def retold(text: str, random: Random) -> str:
    """A text with one of its words, or the value of one of its keys, replaced by something odd."""
    lines = text.split("\n")
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(lines))
        odd = random.choice((*TOKENS, *TEXTS))
        key, mark, _ = lines[at].partition("=" if "=" in lines[at] else ":")
        words = lines[at].split(" ")
        how = random.randrange(5)
        if how == 0 and mark:
            lines[at] = f"{key}{mark} {odd}"
        elif how == 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif how == 2:
            lines[at] = odd
        elif how == 3:
            words[random.randrange(len(words))] = odd
            lines[at] = " ".join(words)
        else:
            del lines[at]
        lines = lines or [""]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def support(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The support project, as it is installed."""
    folder = tmp_path_factory.mktemp("project") / "support"
    write_template("support", folder)
    (folder / "session.toml").write_text(SESSION)
    (folder / "notes.jsonl").write_text('{"id": "n", "text": "Keys are long.", "version": "v1"}\n')
    return folder


def test_whatever_stands_in_a_project_it_is_read_or_the_file_and_the_rule_are_named(
    fuzz: Fuzz, support: Path, tmp_path: Path
) -> None:
    folder, data = tmp_path / "support", tmp_path / "data"
    shutil.copytree(support, folder)
    whole = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".py"}

    def case(random: Random) -> None:
        path = random.choice(list(whole))
        text = whole[path].decode()
        if random.random() < 0.7:
            path.write_bytes(retold(text, random).encode("utf-8", "surrogatepass"))
        else:
            path.write_bytes(damage(whole[path], random))
        command = random.choice(COMMANDS)
        if path.name == "session.toml":
            command = (*command, "--session", str(path))
        elif path.suffix in (".jsonl", ".md"):
            command = random.choice((command, ("ingest", str(path))))
        elif path.parent.name == "evals":
            command = ("lint",)
        try:
            answered("-C", str(folder), "--data", str(data), *command, codes=(0, 1, 2))
        finally:
            path.write_bytes(whole[path])
            shutil.rmtree(data, ignore_errors=True)

    fuzz(case)


WORDS = (*TEXTS, *TOKENS, "acme", "u1", "run.1", "-", "--", "--byte", "0", "toolrun://x/1", "memory/m-1", "a" * 5_000)
ASKED = (
    *(("show",), ("why", "X", "--byte"), ("why", "X", "--item"), ("diff", "X"), ("replay",), ("blame",), ("search",)),
    *(("assemble",), ("assemble", "X", "--decision"), ("approve",), ("refuse",), ("events", "push"), ("state", "set")),
    *(("memory", "add"), ("memory", "delete"), ("memory", "certify"), ("memory", "add", "X", "--purpose"), ("ingest",)),
    *(("inspect",), ("artifacts", "X", "--at"), ("handover",), ("compare", "--policies", "X"), ("init", "--template")),
    *(("inspect", "X", "--tokenizer"), ("model", "show"), ("run", "--resume"), ("assemble", "X", "--session")),
)  # fmt: skip


def test_whatever_words_a_command_is_given_it_answers_or_says_what_is_wrong(
    fuzz: Fuzz, support: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("CALLSHEET_CACHE", str(tmp_path / "cache"))
    where = ["-C", str(support), "--data", str(tmp_path / "data")]
    request = answered(*where, "assemble", QUESTION)["request_id"]

    def case(random: Random) -> None:
        words = [random.choice((*WORDS, request)) if each == "X" else each for each in random.choice(ASKED)]
        said = [*words, random.choice((*WORDS, request))]
        answered(*where, *(each for each in said if "\0" not in each), codes=(0, 1, 2))
        assert not [each for each in tmp_path.iterdir() if each.name not in ("here", "data", "cache")]

    fuzz(case)


def test_a_ledger_that_is_damaged_is_named_and_loses_nothing_that_can_be_read(
    fuzz: Fuzz, support: Path, tmp_path: Path
) -> None:
    where = ["-C", str(support), "--data", str(tmp_path / "data")]
    request = answered(*where, "assemble", QUESTION)["request_id"]
    answered(*where, "memory", "add", "Likes tea.", "--purpose", "support", "--source", "user_stated")
    (path,) = [each for each in (tmp_path / "data").rglob("callsheet.db") if b"Likes tea" in each.read_bytes()] or [
        next((tmp_path / "data" / "acme").rglob("callsheet.db"))
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = {each: each.read_bytes() for each in path.parent.iterdir() if each.is_file() and each.name == path.name}
    asked = (
        *(("show",), ("show", request), ("why", request, "--byte", "3"), ("replay", request), ("memory", "list")),
        *(("events", "log"), ("state", "show"), ("approve",), ("assemble", QUESTION), ("search", "key")),
    )

    def case(random: Random) -> None:
        for each in path.parent.glob("callsheet.db-*"):
            each.unlink()
        path.write_bytes(damage(whole[path], random))
        damaged = path.read_bytes()
        refused = answered(*where, *random.choice(asked), codes=(0, 1, 2)) is None
        if refused and not damaged.startswith(b"SQLite format 3\0"):
            assert path.read_bytes() == damaged, "what is no database of ours was written to"

    fuzz(case)
    path.write_bytes(whole[path])
    assert run(callsheet, [*where, "show", request]) == 0
