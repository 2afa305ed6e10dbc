"""Mistakes and broken disks through the command line: exit code 2, one line that names thing, rule and way out."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.edges.project.templates import write_template
from callsheet.edges.providers.weights import DEFAULT

from ..source import ROOT
from .stage import QUESTION

Change = Callable[[Path], None]
ELSEWHERE = 'provider = "openai-compatible"\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\nwindow = 8192'


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test finds the weights that this machine may have."""
    monkeypatch.setenv("CALLSHEET_CACHE", str(tmp_path / "cache"))
    return


def replaced(file: str, old: str, new: str) -> Change:
    """Changes one place of a project's file."""

    def change(folder: Path) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def written(file: str, text: str) -> Change:
    """Writes one file of a project."""

    def change(folder: Path) -> None:
        (folder / file).write_text(text, encoding="utf-8")

    return change


def nothing(folder: Path) -> None:
    """Leaves the project as the template has it."""


def bare_tool(folder: Path) -> None:
    """A tool that a decision allows and that has no contract."""
    tools = folder / "tools.py"
    tools.write_text(
        tools.read_text(encoding="utf-8") + "\n\ndef call_customer(number: str) -> str:\n    return number\n"
    )
    replaced("callsheet.toml", '"search_incidents"]', '"search_incidents", "call_customer"]')(folder)


def wrong_weights(folder: Path) -> None:
    """A file of the right size and of other bytes, where the weights are looked for."""
    path = Path(os.environ["CALLSHEET_CACHE"]) / DEFAULT.file_name
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(DEFAULT.bytes)


def without_session(folder: Path) -> None:
    """A project that says nothing about who asks."""
    path = folder / "callsheet.toml"
    head, _, rest = path.read_text(encoding="utf-8").partition("[session]")
    path.write_text(f"{head}[assembly]{rest.partition('[assembly]')[2]}", encoding="utf-8")


def elsewhere(folder: Path) -> None:
    """A model that needs no weights; it is never reached."""
    replaced("callsheet.toml", 'provider = "embedded"', ELSEWHERE)(folder)


ASSEMBLE, RUN = ("assemble", QUESTION), ("run", QUESTION)
FILE = "callsheet.toml"
MISTAKES: dict[str, tuple[Change, tuple[str, ...], tuple[str, ...]]] = {
    "no project": (lambda folder: (folder / FILE).unlink(), ASSEMBLE, (FILE, "callsheet init")),
    "no toml": (written(FILE, "[project\nname = 1"), ASSEMBLE, (FILE, "1")),
    "unknown key": (replaced(FILE, "[gate]", "[gate]\nmax_cals = 3"), ASSEMBLE, (FILE, "max_cals", "max_calls")),
    "wrong type": (replaced(FILE, "max_calls = 2", 'max_calls = "two"'), ASSEMBLE, (FILE, "max_calls")),
    "unknown kind": (nothing, (*ASSEMBLE, "--decision", "dance"), ("dance", "answer, change_key, diagnose")),
    "section without version": (
        replaced("instructions/role.md", "version: v3\n", ""),
        ASSEMBLE,
        ("instructions/role.md", "version"),
    ),
    "tool without contract": (bare_tool, ASSEMBLE, (FILE, "call_customer", "@tool")),
    "tool that is not there": (
        replaced(FILE, '"search_incidents"]', '"search_incident"]'),
        ASSEMBLE,
        (FILE, "search_incident", "search_incidents"),
    ),
    "broken tools.py": (written("tools.py", "def ("), ASSEMBLE, ("tools.py", "SyntaxError")),
    "no weights": (nothing, RUN, (DEFAULT.name, "callsheet model pull")),
    "wrong weights": (wrong_weights, RUN, (DEFAULT.file_name, DEFAULT.sha256, "callsheet model pull")),
    "weights of another path": (
        replaced(FILE, "n_ctx = 8192", 'n_ctx = 8192\nweights = "model.gguf"'),
        RUN,
        ("model.gguf",),
    ),
    "key not set": (
        replaced(FILE, 'provider = "embedded"', f'{ELSEWHERE}\napi_key_env = "NO_SUCH_KEY"'),
        RUN,
        ("NO_SUCH_KEY", "set it"),
    ),
    "unknown request": (nothing, ("show", "nope.1"), ("nope.1", "callsheet run")),
    "no request id": (nothing, ("show", "nope"), ("nope", "callsheet show")),
    "unknown request to replay": (nothing, ("replay", "nope.1"), ("nope.1", "callsheet run")),
    "unknown request to explain": (nothing, ("why", "nope.1", "--byte", "3"), ("nope.1", "callsheet run")),
    "unknown requests to compare": (nothing, ("diff", "nope.1", "nope.2"), ("nope.1", "callsheet run")),
    "unknown run": (elsewhere, ("run", "--resume", "nope"), ("nope", "callsheet show")),
    "unknown approval": (nothing, ("approve", "nope"), ("nope", "callsheet run")),
    "empty question": (nothing, ("assemble", "  "), ("question is empty", "say what is asked")),
    "empty question to run": (elsewhere, ("run", ""), ("question", "--resume")),
    "no such session file": (
        nothing,
        (*ASSEMBLE, "--session", "none.toml"),
        ("there is no session file none.toml", "tenant ="),
    ),
    "a session of two tenants": (
        written("s.json", '{"tenant": "acme", "actor": "a", "tenant": "globex"}'),
        (*ASSEMBLE, "--session", "PROJECT/s.json"),
        ("s.json", "a name stands twice"),
    ),
    "a session of a subject without a name": (
        written("s.json", '{"tenant": "acme", "actor": "a", "subject": ""}'),
        (*ASSEMBLE, "--session", "PROJECT/s.json"),
        ("s.json", "subject_id must name a subject"),
    ),
    "no session": (without_session, ASSEMBLE, ("[session]", FILE, "--session FILE")),
    "a source nobody vouches for": (
        nothing,
        ("memory", "add", "Likes tea.", "--purpose", "support", "--source", "bogus"),
        ("bogus", "user_stated", "system_record", "model_inferred"),
    ),
    "an empty notice": (nothing, ("events", "push", " "), ("notice is empty", "one sentence")),
    "a document that is none": (
        lambda folder: (folder / "logo.png").write_bytes(b"PNG") and None,
        ("ingest", "PROJECT/logo.png"),
        ("logo.png", "Markdown", "JSON lines"),
    ),
    "a choice that is missing": (
        nothing,
        ("memory", "add", "Likes tea.", "--purpose", "support"),
        ("Missing option '--source'", "user_stated, system_record"),
    ),
    "a byte that is no number": (nothing, ("why", "r.1", "--byte", "abc"), ("'abc' is not a valid whole number",)),
    "a mistyped command": (nothing, ("shwo", "r.1"), ("'shwo'", "Did you mean 'show'?")),
    "a mistyped command of a group": (nothing, ("memory", "lst"), ("'lst'", "Did you mean 'list'?")),
    "a private function as a tool": (
        replaced(FILE, '"search_incidents"]', '"_read"]'),
        ASSEMBLE,
        (FILE, "'_read', a tool without contract", "@tool"),
    ),
    "a second project": (nothing, ("init", "PROJECT"), ("callsheet.toml", "nothing was written")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_with_the_thing_and_the_way_out(name, tmp_path, capsys):
    change, arguments, expected = MISTAKES[name]
    folder = tmp_path / "support"
    write_template("support", folder)
    change(folder)
    filled = [each.replace("PROJECT", str(folder)) for each in arguments]
    code = run(callsheet, ["-C", str(folder), "--data", str(tmp_path / "data"), *filled, "--json"])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.startswith("callsheet: ") and said.err.count("\n") == 1, said.err
    assert "Traceback" not in said.err
    assert [text for text in expected if text not in said.err] == [], said.err


def test_a_mistake_leaves_nothing_on_record(tmp_path, capsys):
    folder = tmp_path / "support"
    write_template("support", folder)
    assert run(callsheet, ["-C", str(folder), "run", QUESTION]) == 2
    assert not list((folder / ".callsheet").rglob("*.db")) or not sent(folder)
    capsys.readouterr()


def sent(folder: Path) -> bool:
    """True where a request was recorded by the project."""
    return any(b"toolrun://" in path.read_bytes() for path in (folder / ".callsheet").rglob("*.db*"))


IN_A_PROCESS = """
import contextlib, io, os, resource, sys
from callsheet.cli import callsheet
from callsheet.cli.group import run
folder, data, warm, limit, question = sys.argv[1:]
with contextlib.redirect_stdout(io.StringIO()):
    assert run(callsheet, ["-C", folder, "--data", warm, "assemble", question]) == 0
if int(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
elif os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run(callsheet, ["-C", folder, "--data", data, "assemble", question, "--json"]))
"""


def assembled_in_a_process(folder: Path, data: Path, limit: int = 0) -> subprocess.CompletedProcess[str]:
    """Assembles once where all is well, so that everything is loaded, and then where files may not grow or be made."""
    path = os.pathsep.join([str(ROOT / "src"), *sys.path])
    arguments = [str(folder / "support"), str(data), str(folder / "warm"), str(limit), QUESTION]
    return subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("limit", [1, 10_000, 20_000])
def test_a_full_disk_is_one_line_and_what_was_recorded_before_is_still_there(tmp_path, limit, capsys):
    write_template("support", tmp_path / "support")
    where = ["-C", str(tmp_path / "support"), "--data", str(tmp_path / "data")]
    assert run(callsheet, [*where, "assemble", QUESTION]) == 0
    request_id = capsys.readouterr().out.split()[1]
    done = assembled_in_a_process(tmp_path, tmp_path / "data", limit)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("callsheet: ") and done.stderr.count("\n") == 1, done.stderr
    assert "try again" in done.stderr and str(tmp_path / "data") in done.stderr
    assert run(callsheet, [*where, "replay", request_id]) == 0
    capsys.readouterr()


def test_a_data_folder_that_may_not_be_written_is_named():
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to the user that the test becomes
        folder = Path(name)
        folder.chmod(0o755)
        write_template("support", folder / "support")
        (folder / "data").mkdir(mode=0o555)
        done = assembled_in_a_process(folder, folder / "data")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("callsheet: ") and done.stderr.count("\n") == 1, done.stderr
    assert str(folder / "data") in done.stderr and "another data folder" in done.stderr
