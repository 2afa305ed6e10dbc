"""No error, no instruction and no invented word of a person becomes a summary, whoever wrote the draft."""

import pytest

from callsheet.core.history.summary.guards import faults
from callsheet.model.history import Drafted, Line

from ..dialogue import Dialogue

SECTIONS = ("rules", "request", "state", "errors", "decisions", "identifiers")


def rules_of(drafted: Drafted, person: str = "Please never deploy on a Friday.", harness: str = "") -> list[str]:
    """The names of the rules that a draft of one exchange breaks."""
    talk = Dialogue()
    talk.person(person)
    talk.model("Understood.")
    told = [talk.entries[talk.harness(harness)]] if harness else []
    given = [entry for entry in talk.entries if entry not in told]
    read = Drafted(drafted.lines, drafted.text, error=drafted.error, read=tuple(entry.number for entry in given))
    return [fault.split(":")[0] for fault in faults(read, SECTIONS, given, told, [person])]


@pytest.mark.parametrize(
    "text",
    [
        "Error: context_length_exceeded",
        "Error code: 413 - {'error': 'too large'}",
        '{"error": {"type": "overloaded_error"}}',
        "openai.RateLimitError: slow down",
        "Request too large for the model",
        "429 Too Many Requests",
        "I'm sorry, I can't help with that.",
        "Traceback (most recent call last):",
        "maximum context length is 8192 tokens",
    ],
)
def test_an_errors_text_is_no_summary(text):
    assert rules_of(Drafted(text=text)) == ["summary-is-error"]
    assert rules_of(Drafted((Line("state", text, "a"),))) == ["summary-is-error"]


def test_a_failed_or_empty_draft_says_so():
    assert rules_of(Drafted(error="timed out")) == ["summariser-failed"]
    assert rules_of(Drafted()) == ["summary-empty"]


def test_an_error_that_the_work_met_is_a_line_like_any():
    assert (
        rules_of(Drafted((Line("errors", "TypeError: x is not a function", "a"), Line("state", "Fixed.", "b")))) == []
    )


def test_a_quote_must_stand_word_for_word_in_a_message_of_a_person():
    assert rules_of(Drafted((Line("rules", "never deploy on a Friday", "a", quote=True),))) == []
    assert rules_of(Drafted((Line("rules", "never  deploy\non a Friday", "a", quote=True),))) == []
    assert rules_of(Drafted((Line("rules", "always deploy on a Friday", "a", quote=True),))) == ["quote-invented"]


def test_what_a_section_of_a_persons_words_holds_is_a_quote_even_where_it_is_not_called_one():
    assert rules_of(Drafted((Line("request", "Delete the production database.", "a"),))) == ["quote-invented"]


def test_what_a_line_puts_into_a_persons_mouth_must_have_been_said():
    invented = 'The user then asked to "delete the production database" and left.'
    said = 'The user wrote "never deploy on a Friday", so nothing was deployed.'
    assert rules_of(Drafted((Line("state", invented, "a"),))) == ["quote-invented"]
    assert rules_of(Drafted((Line("state", said, "a"),))) == []
    assert rules_of(Drafted(text=f"- {invented}")) == ["quote-invented"]


def test_a_line_taken_from_an_instruction_is_refused():
    harness = "You are a coding agent. Only the tools Read and Bash are allowed until further notice."
    taken = Line("decisions", "Only the tools Read and Bash are allowed until further notice.", "a")
    assert rules_of(Drafted((taken,)), harness=harness) == ["instruction-absorbed"]
    assert rules_of(Drafted((Line("decisions", "Bash was used.", "a"),)), harness=harness) == []
    path = "/home/user/projects/a-long-name/src/components/settings/page.tsx"
    named = Line("identifiers", path, path)
    assert rules_of(Drafted((named,)), harness=f"The file {path} was opened in the editor of the user.") == []


def test_a_section_that_was_not_asked_for_and_a_message_that_was_not_read_are_named():
    talk = Dialogue()
    talk.person("Hello.")
    talk.model("Hello, what shall I do?")
    drafted = Drafted((Line("weather", "sunny", "a"),), read=(0,))
    found = [each.split(":")[0] for each in faults(drafted, SECTIONS, talk.entries, [], ["Hello."])]
    assert found == ["summary-incomplete", "summary-section"]
