"""What is loaded when: `import callsheet` and `callsheet --help` must not pay for what they do not use.

Counts of modules, not seconds, so that a busy machine cannot fail them; `bench/startup.py` has the seconds.
"""

import json
import subprocess
import sys

from .source import PACKAGE

HEAVY = {"asyncio", "httpx2", "jsonschema_rs", "numpy", "pydantic", "quicktok", "rich", "sqlite3", "xllamacpp", "yaml"}
LIGHT = (
    "array", "ast", "base64", "bisect", "dataclasses", "datetime", "difflib", "functools", "hashlib", "heapq", "html",
    "json", "math", "posixpath", "ntpath", "re", "typing", "unicodedata",
)  # fmt: skip
"""What the core may load beside itself."""
REPORT = "print(*sorted(set(sys.modules) - before), file=sys.stderr)"


def loaded_by(code: str) -> set[str]:
    """The modules a fresh interpreter loads for this code beyond those it starts with."""
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); before = set(sys.modules)\n{code}\n{REPORT}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def tops(names: set[str]) -> set[str]:
    """The top-level packages of modules."""
    return {name.split(".")[0] for name in names}


def test_importing_the_front_door_loads_almost_nothing() -> None:
    names = loaded_by("import callsheet")
    assert len(names - {"callsheet"}) <= 8, sorted(names)


def test_using_a_noun_loads_no_heavy_package() -> None:
    names = loaded_by(
        "from callsheet import Budget, Candidate, ContextItem, Policy, RequestContext, Verdict, pack, wilson"
    )
    assert not tops(names) & HEAVY


def test_the_core_loads_nothing_but_itself_and_a_few_light_modules_of_the_standard_library() -> None:
    core = loaded_by("import callsheet.core.run, callsheet.core.history.conversation, callsheet.core.diagnose.diagnose")
    others = {name for name in core if tops({name}) != {"callsheet"}}
    assert others <= loaded_by(f"import {', '.join(LIGHT)}")
    assert {name.split(".")[1] for name in core if name.startswith("callsheet.")} == {"core", "errors", "model"}


def test_the_command_line_loads_click_and_no_engine() -> None:
    names = loaded_by("import callsheet.cli")
    assert not tops(names) & HEAVY
    assert {name for name in names if name.startswith("callsheet.")} <= {
        "callsheet.cli",
        "callsheet.cli.group",
        "callsheet.errors",
    }


def test_version_and_help_load_no_command() -> None:
    for option in ("--version", "--help"):
        names = loaded_by(f"from callsheet.cli import callsheet\ntry: callsheet([{option!r}])\nexcept SystemExit: pass")
        assert not tops(names) & HEAVY, option
        assert "callsheet.host" not in names


def test_a_transcript_loads_the_room_of_its_format_and_of_those_that_are_asked_before() -> None:
    row = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hello"}}
    rows = "".join(f"{json.dumps({**row, 'uuid': uuid})}\n" for uuid in "ab")
    code = f"""
import pathlib, tempfile
from callsheet.transcripts import read
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "session.jsonl")
    path.write_text({rows!r})
    assert read(path).format == "claude-code"
"""
    rooms = {name.removeprefix("callsheet.edges.transcripts.") for name in loaded_by(code)}
    assert "claude_code.session" in rooms
    assert not rooms & {"pi", "codex.rollout", "openai_chat"}
    assert not rooms & {"callsheet.ports", "callsheet.model.effect"}


PARSERS = {"docutils", "lxml", "markdown_it", "pypdf", "tree_sitter"}


def test_a_document_loads_the_parser_of_its_format_alone() -> None:
    assert not tops(loaded_by("import callsheet.edges.documents.reading")) & (HEAVY | PARSERS)
    code = """
import pathlib, tempfile
from callsheet.edges.documents.reading import read
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "a.md")
    path.write_text("# A")
    assert len(list(read(path, path.parent))) == 1
"""
    assert tops(loaded_by(code)) & (HEAVY | PARSERS) == {"markdown_it"}


def test_a_format_whose_parser_is_not_installed_is_refused_with_the_extra_that_has_it() -> None:
    code = """
import pathlib, sys, tempfile
sys.modules.update(dict.fromkeys(("docutils", "lxml", "pypdf", "tree_sitter")))
from callsheet.edges.documents.reading import read
from callsheet.errors import UsageError
with tempfile.TemporaryDirectory() as folder:
    for name in ("a.pdf", "a.html", "a.rst", "a.py"):
        path = pathlib.Path(folder, name)
        path.write_text("text")
        try:
            list(read(path, path.parent))
        except UsageError as error:
            assert str(path) in str(error) and "run `pip install 'callsheet[documents]'`" in str(error), error
        else:
            raise AssertionError(name)
"""
    loaded_by(code)


def test_a_decision_without_knowledge_and_memories_loads_no_index_and_none_loads_the_readers_of_documents() -> None:
    code = """
import pathlib, shutil, tempfile
from callsheet.cli.project import init
from callsheet import open_host
with tempfile.TemporaryDirectory() as folder:
    init([folder, "--template", "support"], standalone_mode=False)
    {removing}
    with open_host(folder) as host:
        assert host.assemble("Why is my API key not working?").manifest
        host.search("Why is my API key not working?")
"""
    with_knowledge = loaded_by(code.replace("{removing}", ""))
    without = loaded_by(
        code.replace("{removing}", "[shutil.rmtree(pathlib.Path(folder, name)) for name in ('knowledge', 'seed')]")
    )
    assert "numpy" in with_knowledge
    assert "numpy" not in without and "callsheet.edges.indexes.index" not in without
    for names in (with_knowledge, without):
        assert not {name for name in names if name.startswith(("callsheet.edges.documents", "callsheet.edges.corpus"))}
        assert "callsheet.host.knowledge.ingesting" not in names


def test_only_a_project_that_keeps_its_records_in_postgresql_loads_its_client_which_is_an_extra() -> None:
    code = """
import pathlib, sys, tempfile
from callsheet.cli.project import init
from callsheet import open_host
from callsheet.errors import UsageError
with tempfile.TemporaryDirectory() as folder:
    init([folder, "--template", "support"], standalone_mode=False)
    with open_host(folder) as host:
        host.stores(host.session()).states.load("u1")
    assert "psycopg" not in sys.modules and "callsheet.edges.stores.postgres" not in sys.modules
    sys.modules["psycopg_pool"] = None
    path = pathlib.Path(folder, "callsheet.toml")
    path.write_text(path.read_text().replace("[store]", '[store]\\nkind = "postgresql"\\nurl_env = "PATH"'))
    try:
        open_host(folder)
    except UsageError as error:
        assert "run `pip install 'callsheet[postgres]'`" in str(error), error
    else:
        raise AssertionError("no refusal")
"""
    loaded_by(code)
