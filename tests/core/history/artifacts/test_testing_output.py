"""Runs of tests with their counts, and the exact words of errors."""

import pytest

from callsheet.core.history.artifacts.testing_output import counted

from ..talk import Talk, files

OUTPUTS = [
    ("pytest -q", "..F\n1 failed, 2 passed, 1 skipped in 0.12s\n", (2, 1)),
    ("python -m pytest tests", "===== 14 passed, 2 failed, 1 error in 3.21s =====\n", (14, 3)),
    ("python -m unittest", "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n", (2, 2)),
    ("python -m unittest -v", "Ran 3 tests in 0.001s\n\nOK\n", (3, 0)),
    ("npx jest", "Tests:       1 failed, 2 skipped, 9 passed, 12 total\n", (9, 1)),
    ("npx vitest run", " Test Files  1 passed (1)\n      Tests  3 passed | 1 failed (4)\n", (3, 1)),
    ("npm test", "  12 passing (30ms)\n  1 pending\n  2 failing\n", (12, 2)),
    ("go test ./... -v", "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.01s)\n    --- PASS: TestB/x\nFAIL\n", (2, 1)),
    ("go test ./...", "ok  \texample.com/x\t0.01s\n", (None, None)),
    (
        "cargo test",
        "test result: ok. 4 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 1 passed; 2 failed;\n",
        (5, 2),
    ),
    ("mix test", "Finished in 0.1 seconds\n1 doctest, 2 properties, 10 tests, 3 failures\n", (10, 3)),
    ("mix test", "\x1b[32m49 tests, 0 failures\x1b[0m\n", (49, 0)),
    ("bundle exec rspec", "10 examples, 1 failure, 2 pending\n", (9, 1)),
    ("vendor/bin/phpunit", "OK (7 tests, 12 assertions)\n", (7, 0)),
    ("phpunit", "Tests: 7, Assertions: 12, Errors: 1, Failures: 1, Skipped: 1.\n", (4, 2)),
    ("dotnet test", "Failed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10\n", (9, 1)),
    ("mvn -q test", "Tests run: 8, Failures: 1, Errors: 1, Skipped: 2\n", (4, 2)),
    ("./gradlew test", "12 tests completed, 3 failed\n", (9, 3)),
    ("make test", '<testsuites tests="6" failures="1" errors="1" time="1">\n', (4, 2)),
    ("ctest", "90% tests passed, 1 tests failed out of 10\n", (9, 1)),
    ("node --test", "# tests 3\n# pass 2\n# fail 1\n", (2, 1)),
    ("bin/rails test", "5 runs, 9 assertions, 1 failures, 1 errors, 0 skips\n", (3, 2)),
    ("deno test", "ok | 5 passed | 0 failed (20ms)\n", (5, 0)),
]


@pytest.mark.parametrize(("command", "output", "counts"), OUTPUTS)
def test_what_a_runner_prints_is_counted(command: str, output: str, counts: tuple[int | None, int | None]) -> None:
    assert counted(output.replace("\x1b[32m", "").replace("\x1b[0m", "")) == counts
    talk = Talk()
    if "node" not in command:
        talk.did("Bash", {"command": f"cd x && {command} 2>&1 | tail -5"}, output)
        (run,) = talk.index().tests
        assert (run.passed, run.failed) == counts and command in run.command


@pytest.mark.parametrize(
    "line", ["ls tests", "grep -n pytest setup.cfg", "cat test_a.py", "echo 'npm test'", "git add test"]
)
def test_other_commands_are_no_runs_of_tests(line: str) -> None:
    talk = Talk()
    talk.did("Bash", {"command": line}, "3 passed in 0.1s")
    assert not talk.index().tests


def test_a_failed_run_is_a_run_and_its_files_know_it() -> None:
    talk = Talk()
    talk.did("Write", {"file_path": "/repo/tests/test_a.py", "content": "def test_a(): assert 0\n"})
    talk.did("Bash", {"command": "pytest tests/test_a.py::test_a"}, "Exit code 1\n1 failed in 0.01s", error=True)
    (found,) = talk.index().artifacts
    (run,) = found.tests
    assert run == talk.index().tests[0] and run.ok is False and run.failed == 1 and run.record == 3


def test_a_run_in_the_background_has_no_result_yet() -> None:
    talk = Talk()
    talk.did("Bash", {"command": "pytest"}, "Command running in background with ID: b1")
    assert not talk.index().tests


def test_errors_are_kept_word_for_word_and_once() -> None:
    talk = Talk()
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3\n    x\nValueError: 401 at /api/auth/login\n'
    for _ in range(2):
        talk.did("Bash", {"command": "python a.py"}, "Exit code 1\n" + trace, error=True)
    talk.did("Bash", {"command": "git push"}, "Exit code 128\nfatal: no upstream branch", error=True)
    assert [error.text for error in talk.index().errors] == [
        "ValueError: 401 at /api/auth/login",
        "fatal: no upstream branch",
    ]
    assert talk.index().errors[0].record == 1 and talk.index().errors[0].what == "python a.py"


def test_a_result_that_is_no_error_has_none_though_it_speaks_of_some() -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "/repo/a.log"}, "     1→error: old\n")
    talk.did("Bash", {"command": "make"}, "0 errors, 0 warnings\nValueError: shown in the docs")
    assert not talk.index().errors


def test_a_persons_no_is_no_error() -> None:
    talk = Talk()
    talk.did("Bash", {"command": "rm -rf /"}, "The user doesn't want to proceed with this tool use.", error=True)
    assert not talk.index().errors and not files(talk.index())
