"""Each wall, tried from inside: a program does what the wall is there for, and what came of it is looked at."""

import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.sandbox.sandbox import Sandbox
from callsheet.errors import UsageError
from callsheet.model.sandbox import Program, Ran, SandboxPolicy

WALLS = Sandbox().missing
walled = pytest.mark.skipif(bool(WALLS), reason=f"no walls here: {WALLS}")
bare = pytest.mark.skipif(
    bool(Sandbox(SandboxPolicy("limits")).missing), reason="limits alone do not hold for this user"
)


def ran(code: str, *arguments: str, **limits: Any) -> Ran:
    """What came of a Python program."""
    running = Sandbox(SandboxPolicy(**limits)).begin(Program("main.py", {"main.py": code.encode()}, arguments))
    assert running.heard() is None
    return running.stop()


@walled
def test_a_program_runs_with_its_arguments_and_only_what_it_printed_comes_out() -> None:
    said = ran("import sys; print(sys.argv[1:]); print('oops', file=sys.stderr); open('kept', 'w').write('x')", "a b")
    assert (said.ended, said.exit_code, said.output) == ("ok", 0, "['a b']\noops\n")


@walled
def test_a_program_reaches_no_listener_on_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        said = ran(f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)")
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert said.ended == "failed" and "Error" in said.output


@walled
def test_a_program_has_no_network_but_its_own_loopback() -> None:
    assert ran("import socket; print([name for _, name in socket.if_nameindex()])").output == "['lo']\n"


@walled
def test_a_program_neither_reads_nor_lists_a_file_outside(tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("the treasure")
    outside.chmod(0o644)
    for path in (outside, Path(__file__), Path("/etc/passwd")):
        said = ran(f"print(open({str(path)!r}).read())")
        assert said.ended == "failed" and "No such file" in said.output
    assert ran("import os; print(sorted(os.listdir('/tmp')))").output == "[]\n"


@walled
@pytest.mark.parametrize(
    "path", ["/given/main.py", "/given/new", "/usr/new", "/new", "/dev/new", "/dev/shm/new", "/etc/new"]
)
def test_a_program_changes_nothing_but_its_own_two_folders(path: str) -> None:
    said = ran(f"open({path!r}, 'w')")
    assert said.ended == "failed" and ("Read-only" in said.output or "denied" in said.output)


@walled
def test_what_a_program_writes_is_limited_and_gone_with_it() -> None:
    code = """
for n in range(8):
    try: open(f'/tmp/{n}', 'wb').write(b'x' * 2**19)
    except OSError as error: print(error.errno); break
"""
    said = ran(code, files=2**20)
    assert said.output == "28\n"  # no space is left
    assert ran("import os; print(os.listdir('/tmp'), os.listdir('.'))").output == "[] []\n"


@walled
def test_a_program_has_no_variable_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very secret")
    names = set(json.loads(ran("import json, os; print(json.dumps(list(os.environ)))").output))
    assert names <= {"HOME", "LANG", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "TMPDIR", "LC_CTYPE"}


@walled
def test_a_program_sees_no_process_but_its_own_and_holds_no_right() -> None:
    code = """
import os
print(len([each for each in os.listdir('/proc') if each.isdigit()]) <= 3, os.getuid() != 0)
print({line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapEff', 'CapPrm', 'CapAmb')})
print([line.split()[1] for line in open('/proc/self/status') if line.startswith('NoNewPrivs')])
"""
    assert ran(code).output == "True True\n{'0000000000000000'}\n['1']\n"


@walled
def test_a_program_cannot_take_the_walls_down() -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None)
print(libc.mount(b'none', b'/usr', None, 4096 | 32, None), libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))
libc.unshare(0x10000000 | 0x20000)
print(libc.mount(b'none', b'/usr', None, 4096 | 32, None))
try: open('/usr/new', 'w')
except OSError: print('still read-only')
"""
    assert ran(code).output == "-1 -1\n-1\nstill read-only\n"


FORKS = """
import os, time
for n in range(200):
    try:
        if os.fork() == 0:
            time.sleep(60)
    except OSError:
        print(n)
        break
"""


@walled
def test_a_program_that_forks_without_end_comes_to_its_limit_and_leaves_nothing() -> None:
    said = ran(FORKS, processes=8)
    assert said.ended == "ok" and int(said.output) < 8
    assert int(ran(FORKS, processes=8).output) == int(said.output), "the first left processes behind"


@walled
def test_a_program_gets_no_more_memory_than_it_may() -> None:
    said = ran("b'x' * 2**29", memory=2**28)
    assert said.ended == "failed" and "MemoryError" in said.output


@walled
def test_a_program_that_sleeps_is_ended_when_its_time_is_over() -> None:
    assert ran("import time; print('before', flush=True); time.sleep(60)", seconds=0.5) == Ran(
        "out-of-time", "before\n", -9
    )


@walled
def test_a_program_that_computes_without_end_is_ended_by_the_kernel() -> None:
    assert ran("while True: pass", cpu_seconds=1).ended == "failed"


@walled
def test_a_program_that_prints_without_end_is_ended_and_its_output_cut() -> None:
    said = ran("while True: print('x' * 1000)", output=5_000)
    assert said.ended == "too-much-output" and len(said.output) == 5_000


@walled
def test_what_a_program_leaves_running_ends_with_it() -> None:
    said = ran("import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True); print('gone')")
    assert (said.ended, said.output) == ("ok", "gone\n")
    assert "sleep\x00600" not in commands()


def commands() -> str:
    """The command lines of all processes."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(each.read_text())
        except OSError:
            continue
    return "\n".join(found)


@walled
def test_a_program_is_asked_and_told_line_by_line() -> None:
    code = """
import json, os, sys
asks, answers = os.fdopen(int(sys.argv[1]), 'w'), os.fdopen(int(sys.argv[2]))
for n in (1, 2):
    print(json.dumps({'ask': n}), file=asks, flush=True)
    print(json.loads(answers.readline())['told'])
"""
    running = Sandbox().begin(Program("main.py", {"main.py": code.encode()}, speaks=True))
    assert running.heard() == {"ask": 1}
    running.tell({"told": "ä"})
    assert running.heard() == {"ask": 2}
    running.tell({"told": 2})
    assert running.heard() is None
    assert running.stop().output == "ä\n2\n"


@walled
def test_a_message_that_is_none_ends_the_program() -> None:
    code = "import os, sys, time; os.write(int(sys.argv[1]), b'nonsense\\n'); time.sleep(60)"
    running = Sandbox().begin(Program("main.py", {"main.py": code.encode()}, speaks=True))
    with pytest.raises(ValueError, match="no message"):
        running.heard()
    assert running.stop().ended == "stopped"


@walled
@pytest.mark.parametrize("sent", ["b'[' * 900_000", "b'[' * 60 + b']' * 60", "b'[' + b'9' * 5000 + b']'"])
def test_a_message_that_no_reader_could_take_in_is_none(sent: str) -> None:
    code = f"import os, sys, time; os.write(int(sys.argv[1]), {sent} + b'\\n'); time.sleep(60)"
    running = Sandbox().begin(Program("main.py", {"main.py": code.encode()}, speaks=True))
    with pytest.raises(ValueError, match="no message"):
        while running.heard() is not None:
            pass
    assert running.stop().ended == "stopped"


@walled
def test_a_program_that_does_not_listen_is_ended_when_its_time_is_over() -> None:
    code = "import os, sys, time; os.write(int(sys.argv[1]), b'1\\n'); time.sleep(60)"
    running = Sandbox(SandboxPolicy(seconds=1)).begin(Program("main.py", {"main.py": code.encode()}, speaks=True))
    assert running.heard() == 1
    running.tell("x" * 1_000_000)
    assert running.heard() is None and running.stop().ended == "out-of-time"


@walled
def test_a_program_that_asks_on_without_listening_is_ended() -> None:
    code = "import os, sys\nwhile True: os.write(int(sys.argv[1]), b'1\\n')"
    running = Sandbox().begin(Program("main.py", {"main.py": code.encode()}, speaks=True))
    while running.heard() is not None:
        running.tell("x" * 100_000)
    assert running.stop().ended == "stopped"


@walled
def test_a_long_answer_reaches_a_program_that_is_still_printing() -> None:
    code = """
import json, os, sys
os.write(int(sys.argv[1]), b'1\\n')
print('x' * 200_000)
print(len(json.loads(open(int(sys.argv[2]), 'rb').readline())))
"""
    running = Sandbox(SandboxPolicy(output=1_000_000)).begin(
        Program("main.py", {"main.py": code.encode()}, speaks=True)
    )
    assert running.heard() == 1
    running.tell("y" * 1_000_000)
    assert running.heard() is None
    assert running.stop().output.split() == ["x" * 200_000, "1000000"]


@walled
def test_a_program_that_is_stopped_says_what_it_had_printed() -> None:
    code = "import os, sys, time; print('so far', flush=True); os.write(int(sys.argv[1]), b'1\\n'); time.sleep(60)"
    running = Sandbox().begin(Program("main.py", {"main.py": code.encode()}, speaks=True))
    assert running.heard() == 1
    assert running.stop() == Ran("stopped", "so far\n", -9)


@walled
def test_a_shell_script_runs_and_a_file_of_another_kind_does_not() -> None:
    running = Sandbox().begin(Program("do.sh", {"do.sh": b"echo $0 $1"}, ("one",)))
    assert running.heard() is None
    assert running.stop().output == "/given/do.sh one\n"
    with pytest.raises(UsageError, match="no kind that is run"):
        Sandbox().begin(Program("do.exe", {"do.exe": b""}))


@bare
def test_limits_alone_still_limit_and_clean_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very secret")
    assert "SOME_API_KEY" not in ran("import os; print(list(os.environ))", isolation="limits").output
    assert ran("b'x' * 2**29", isolation="limits", memory=2**28).ended == "failed"
    assert ran("import time; time.sleep(60)", isolation="limits", seconds=0.3).ended == "out-of-time"


def test_without_walls_nothing_is_run_and_the_error_says_why_and_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = Sandbox()
    sandbox.__dict__["_wrapper"] = None
    with pytest.raises(UsageError, match=r"no bubblewrap.*callsheet\[sandbox\].*isolation = .limits"):
        sandbox.begin(Program("main.py", {"main.py": b"print('ran')"}))


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only the superuser has limits that fail")
def test_limits_alone_are_refused_to_the_superuser() -> None:
    with pytest.raises(UsageError, match="superuser"):
        Sandbox(SandboxPolicy("limits")).begin(Program("main.py", {"main.py": b""}))


@walled
@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({}, ("a\0b",)),
        ({}, ("\ud800",)),
        ({}, ("x" * 200_000,)),
        ({"x" * 300: b""}, ()),
        ({"x": b"", "x/y": b""}, ()),
        ({"\ud800.txt": b""}, ()),
    ],
)
def test_what_the_system_does_not_take_is_an_error_that_says_so_and_leaves_nothing(
    files: dict[str, bytes], arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Sandbox()
    assert not box.missing
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    open_before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(UsageError, match="cannot be run with these files and arguments"):
        box.begin(Program("main.py", {"main.py": b"", **files}, arguments))
    assert (len(os.listdir("/proc/self/fd")), list(tmp_path.iterdir())) == (open_before, [])


@walled
def test_a_file_of_any_name_stands_beside_the_program() -> None:
    running = Sandbox().begin(Program("main.py", {"main.py": b"print(open('/given/work').read())", "work": b"mine"}))
    assert running.heard() is None and running.stop().output == "mine\n"
