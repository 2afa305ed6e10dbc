"""Command lines: what is shown, written, changed, moved and removed, and in which folder."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.artifacts.shell import run_line
from callsheet.core.history.artifacts.shell_words import Lexer

from ..talk import Talk, files, read_files, written_files

SHOWN = [
    ("cat a.py", {"/repo/a.py"}),
    ("cat a.py b.py | head -20", {"/repo/a.py", "/repo/b.py"}),
    ("cd src && head -n 50 a.py", {"/repo/src/a.py"}),
    ("tail -30 /var/log/x.log", {"/var/log/x.log"}),
    ("sed -n '10,20p' 'my file.py'", {"/repo/my file.py"}),
    ("nl -ba a.py | sed -n '10,20p'", {"/repo/a.py"}),
    ("(cd src; cat a.py); cat b.py", {"/repo/src/a.py", "/repo/b.py"}),
    ("bash -lc 'cd src && cat a.py'", {"/repo/src/a.py"}),
    ("F=a.py; cat $F \"${F}\"", {"/repo/a.py"}),
    ("for f in a.py b.py; do cat \"$f\"; done", {"/repo/a.py", "/repo/b.py"}),
    ("sudo cat a.py 2>/dev/null", {"/repo/a.py"}),
    ("cat < a.py", {"/repo/a.py"}),
    ("cat a.py | grep x", set()),
    ("grep -rn x a.py; ls -la; find . -name a.py; wc -l a.py", set()),
    ("cat a.py > b.py", set()),
    ("cat *.py $UNKNOWN $(ls)", set()),
    ("echo cat a.py # cat b.py", set()),
    ("git diff a.py && git log", set()),
    ("tail -f a.log", set()),
]  # fmt: skip
WRITTEN = [
    ("cat > a.py <<'EOF'\nx = 1\nEOF", {"/repo/a.py"}),
    ("cat <<EOF > a.py\ncat b.py > c.py\nEOF", {"/repo/a.py"}),
    ("cat <<-EOF | tee a.py\n\tx\n\tEOF\necho done", {"/repo/a.py"}),
    ("echo x >> a.py; printf 'y' > b.py", {"/repo/a.py", "/repo/b.py"}),
    ("sed -i 's/a b/c > d/' a.py b.py", {"/repo/a.py", "/repo/b.py"}),
    ("sed -i '' -e s/x/y/ -e s/y/z/ a.py", {"/repo/a.py"}),
    ("sed -i.bak s/x/y/ a.py", {"/repo/a.py"}),
    ("perl -pi -e 's/x/y/' a.py", {"/repo/a.py"}),
    ("perl -i -0pe 's/x/y/g' a.py", {"/repo/a.py"}),
    ("cp a.py src/b.py", {"/repo/src/b.py"}),
    ("cp a.py b.py dest/", {"/repo/dest/a.py", "/repo/dest/b.py"}),
    ("git mv a.py b.py", {"/repo/b.py"}),
    ("touch a.py", {"/repo/a.py"}),
    ("patch -p1 <<'EOF'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\nEOF", {"/repo/x.py"}),
    ("git -C sub apply <<'EOF'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\nEOF", {"/repo/sub/x.py"}),
    ("python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.py').write_text('x')\nEOF", {"/repo/a.py"}),
    ("python -c \"open('a.py', 'w').write('x')\"", {"/repo/a.py"}),
    ("python3 - <<'EOF'\np = 'a.py'\ns = open(p).read()\nwith open(p, 'w') as f:\n    f.write(s)\nEOF", {"/repo/a.py"}),
    ("make > build.log 2>&1", {"/repo/build.log"}),
    ("git checkout -- a.py", {"/repo/a.py"}),
    ("make 2> /dev/null >&2 && echo $(date) > /dev/null", set()),
    ("git commit -m \"$(cat <<'EOF'\ndon't > x.py (really\nEOF\n)\"", set()),
    ("echo 'x > a.py' \"y > b.py\" z\\>c.py", set()),
    ("test -f a.py || touch a.py", set()),
    ("[[ 1 > 0 ]]; if [ $x -gt 1 ]; then echo y; fi", set()),
]  # fmt: skip


def shell_only(line: str) -> Talk:
    """A session of an agent that has nothing but a shell."""
    talk = Talk()
    talk.did("shell_command", {"command": line}, "")
    return talk


@pytest.mark.parametrize(("line", "paths"), SHOWN)
def test_a_command_that_shows_a_file_reads_it(line: str, paths: set[str]) -> None:
    assert read_files(shell_only(line).index()) == paths


@pytest.mark.parametrize(("line", "paths"), WRITTEN)
def test_a_command_that_changes_a_file_writes_it(line: str, paths: set[str]) -> None:
    if "[[" not in line:
        assert written_files(shell_only(line).index()) == paths
    assert not {"0", "/repo/b.py (really"} & written_files(shell_only(line).index())


def test_deleted_files_are_known_by_the_command_that_removed_them() -> None:
    talk = Talk()
    talk.did("shell_command", {"command": "echo x > tmp/a.py; echo y > tmp/b.py; echo z > keep.py"}, "")
    talk.did("shell_command", {"command": "rm -rf tmp && rm -f other.py && git rm gone.py"}, "")
    found = files(talk.index())
    assert {path for path, each in found.items() if each.deleted} == {
        "/repo/tmp/a.py", "/repo/tmp/b.py", "/repo/other.py", "/repo/gone.py"
    }  # fmt: skip
    assert not found["/repo/keep.py"].deleted


def test_what_a_heredoc_writes_is_known_to_the_letter() -> None:
    talk = shell_only("cat > a.py <<'EOF'\n\tx = $y\nEOF\ncat > b.py <<-EOF\n\tx\n\tEOF\n")
    found = files(talk.index())
    assert found["/repo/a.py"].hash == sha256(b"\tx = $y\n").hexdigest()
    assert found["/repo/b.py"].hash == sha256(b"x\n").hexdigest()


def test_a_command_that_works_elsewhere_leaves_the_folder_as_it_was() -> None:
    assert written_files(shell_only("git -C sub mv a.py b.py && echo x > c.py").index()) == {
        "/repo/sub/b.py",
        "/repo/c.py",
    }


def test_a_moved_folder_takes_its_files_along() -> None:
    talk = Talk()
    talk.did("shell_command", {"command": "echo x > old/a.py; mkdir new; mv old new/place"}, "")
    found = files(talk.index())
    assert found["/repo/old/a.py"].deleted and found["/repo/new/place/a.py"].created
    assert found["/repo/new/place/a.py"].hash == sha256(b"x\n").hexdigest()


@pytest.mark.parametrize("code", [1, None])
def test_a_command_that_failed_does_not_count(code: int | None) -> None:
    talk = Talk()
    call = talk.call("shell_command", {"command": "cat a.py > b.py"})
    talk.answer(call, "" if code else "Exit code: 2\nOutput:\nno", exit_code=code)
    assert not talk.index().artifacts


@pytest.mark.parametrize(
    "answer",
    [
        "Exit code 1\ncat: a.py",
        "<returncode>1</returncode>\n<output>\n</output>",
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n",
        '{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}',
        "x\n\nCommand exited with code 1",
    ],
)
def test_an_exit_code_is_found_where_harnesses_write_it(answer: str) -> None:
    talk = Talk()
    talk.did("shell_command", {"command": "cat a.py"}, answer)
    assert not talk.index().artifacts


def test_a_file_that_shows_an_exit_code_does_not_fail_the_command() -> None:
    talk = Talk()
    text = "def run():\n" + "    pass\n" * 100 + "exit_code = 3\n" + "    pass\n" * 100
    talk.did("shell_command", {"command": "cat a.py"}, text)
    assert read_files(talk.index()) == {"/repo/a.py"}


def test_beside_tools_for_files_a_command_that_shows_a_file_is_no_read() -> None:
    talk = Talk()
    talk.did("Bash", {"command": "cat a.py; tail -5 /tmp/out.log"})
    found = files(talk.index())
    assert not read_files(talk.index()) and found["/repo/a.py"].commands == (0,)


def test_beside_tools_for_files_only_the_agents_text_in_its_project_counts_as_written() -> None:
    talk = Talk()
    lines = ["cat > /tmp/fix.py <<'EOF'\nx\nEOF", "make > build.log", "sed -i s/x/y/ src/a.py", "echo x > ~/notes"]
    for line in lines:
        talk.did("Bash", {"command": line})
    assert written_files(talk.index()) == {"/repo/src/a.py"}
    found = files(talk.index())
    assert found["/tmp/fix.py"].created and found["/tmp/fix.py"].commands == (0,)
    assert found["/repo/build.log"].commands == (2,)


def test_a_shell_that_stays_where_it_went_is_followed() -> None:
    talk = Talk(cwd="")
    talk.did("execute_bash", {"command": "cd /srv/x"})
    talk.did("execute_bash", {"command": "echo y > a.py"})
    assert [each.path for each in talk.index().artifacts] == ["/srv/x/a.py"]


@given(st.text(alphabet="ab '\"\\$`(){}<>|&;\n#=EOF-", max_size=60))
def test_any_line_is_taken_apart_without_an_error(line: str) -> None:
    Lexer(line).commands()
    run_line(line, "/repo")


@given(st.lists(st.text(alphabet="ab c'\"$\\;|>", min_size=1, max_size=8), min_size=1, max_size=4))
def test_a_quoted_word_is_what_was_quoted(words: list[str]) -> None:
    line = " ".join("'" + word.replace("'", "'\"'\"'") + "'" for word in words)
    (command,) = Lexer("x " + line).commands()
    assert [word.text for word in command.words] == ["x", *words]


def test_a_long_line_is_read_in_time_that_grows_with_its_length() -> None:
    line = "echo '" + "x" * 300_000 + "' > a.py"
    assert [effect.path for effect in run_line(line, "/repo").effects] == ["/repo/a.py"]
