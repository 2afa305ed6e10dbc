"""Every way in which a result says that nothing came of a call is seen by the signs that are looked for first."""

import pytest

from callsheet.core.diagnose.patterns.patterns import failed
from callsheet.core.diagnose.patterns.stall.stall import REFUSAL, refusal
from callsheet.core.diagnose.tools.names import is_no_such_tool
from callsheet.core.history.artifacts.errors import error_lines

REFUSALS = """The request timed out
Connection timeout
Connection refused
Access denied
403 Forbidden
Unauthorised
Unauthorized
The change was rejected
Bad request
Invalid path
Service unavailable
Too many requests
Rate limit reached
It is not allowed
It is not permitted
Streams are not supported
Unable to open it
We could not open it
The file cannot be opened
It can't be opened
There was an error executing the tool
There was an error invoking it: no answer
{"isError": true}
{"is_error": true}
The program exited with code 2
Exit status: 1
HTTP 503
it came back, status code 404
{"success": false}
{"ok":false}
{"status": "failed"}""".splitlines()
NO_SUCH_TOOLS = """No such tool: grep2
Unknown tool grep2
Unrecognized function
unrecognised function
Invalid tool name
Nonexistent tool
non-existent function
Tool grep2 not found
function 'grep2' is not available
Tool named grep2 is not recognised
command `grep2` is not registered
tool "grep2" is unknown
The tool grep2 does not exist
Function grep2 doesn't exist
tool not found
Function not registered""".splitlines()
FAILURES = """ValueError: no number
error: no number
fatal: no repository
failed to open it
exception in thread
Traceback (most recent call last):
invalid option
unknown tool grep2
unknown function
bash: grep2: what is that
zsh: no
sh: no
<tool_use_error>File has not been read yet</tool_use_error>
no such option
permission denied
file not found
 > not found: a.py
it ran: grep2: Command not found
then: cat: a.py: No such file or directory""".splitlines()
ERROR_LINES = """error: a
it is fatal
panic here
it failed
exception here
it cannot be
it could not be
no such file here
it was not found
it was denied
unresolved name
undefined name
it was refused
segmentation fault
core dumped
a ParseException came""".splitlines()


@pytest.mark.parametrize("said", REFUSALS)
def test_a_refusal_is_seen_at_the_beginning_and_where_it_stands_for_itself_in_capitals(said: str) -> None:
    assert refusal(said)
    assert refusal(said.upper())


@pytest.mark.parametrize("said", [each for each in REFUSALS if any(sign in each for sign in ("HTTP", "xit", "true"))])
def test_a_refusal_by_its_form_is_seen_at_the_end_of_a_long_result(said: str) -> None:
    assert refusal("a word " * REFUSAL + said)
    assert not refusal("a word " * REFUSAL + said + " a word" * REFUSAL)


@pytest.mark.parametrize(
    "said", ["All is well", "Saved at a good rate", "It ended with status 200", '{"success": true}']
)
def test_what_only_has_a_sign_of_a_refusal_is_none(said: str) -> None:
    assert not refusal(said)


@pytest.mark.parametrize("said", NO_SUCH_TOOLS)
def test_a_tool_that_does_not_exist_is_seen_however_it_is_said(said: str) -> None:
    assert is_no_such_tool(said)
    assert is_no_such_tool(f"<error>{said.upper()}</error>")


@pytest.mark.parametrize("said", ["The tool found nothing", "The command was run", "File not found"])
def test_other_words_on_tools_do_not_say_that_there_is_none(said: str) -> None:
    assert not is_no_such_tool(said)


@pytest.mark.parametrize("said", FAILURES)
def test_an_unmarked_result_failed_where_its_beginning_says_so(said: str) -> None:
    assert failed(said)
    assert failed(said.upper())
    assert not failed(said, False)


@pytest.mark.parametrize("said", ["3 errors were fixed", "All done", "1 import re", "a failed attempt before"])
def test_an_unmarked_result_that_only_speaks_of_errors_did_not_fail(said: str) -> None:
    assert not failed(said)


@pytest.mark.parametrize("said", ERROR_LINES)
def test_the_line_that_says_what_went_wrong_is_found_among_others(said: str) -> None:
    text = f"first line\n{said}\nlast line"
    assert list(error_lines(text, failed=True)) == [said]
    assert list(error_lines(text.upper(), failed=True)) == [said.upper()]
