"""Who wrote a message is told by its form: results, reminders and summaries are no turn of a person's."""

import pytest

from callsheet.core.history.recorded.speakers import speaker_of
from callsheet.model.message import CompactionBlock, MediaBlock, Message, TextBlock

from ..said import model, results, user

REMINDER = "<system-reminder>\nThe file was changed.\n</system-reminder>"


@pytest.mark.parametrize(
    "text",
    [
        REMINDER,
        f"  \n{REMINDER}\n",
        "<environment_context>\n<cwd>/repo</cwd>\n</environment_context>",
        "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>",
        "<system-reminder>never closed, and all that follows is the harness's",
        "# AGENTS.md instructions for /repo\nUse tabs.",
        "[Request interrupted by user]",
    ],
)
def test_text_of_a_harness_is_no_turn_of_a_person(text: str) -> None:
    assert speaker_of(user(text)) == "harness"


@pytest.mark.parametrize(
    "text",
    [
        "fix the login",
        f"{REMINDER}\nfix the login",
        "why does <system-reminder> show up in my log?",
        "<command-name>/review</command-name>",
        "<skillet> is my component",
    ],
)
def test_the_words_of_a_person_are_theirs_whatever_stands_in_front_of_them(text: str) -> None:
    assert speaker_of(user(text)) == "person"


def test_a_message_with_one_text_of_the_harness_and_one_of_a_person_is_the_persons() -> None:
    both = Message("user", (TextBlock(text=REMINDER), TextBlock(text="fix the login")))
    assert speaker_of(both) == "person"


def test_results_make_a_message_the_tools() -> None:
    assert speaker_of(results(a="text")) == "tool"


def test_words_of_a_person_beside_results_are_theirs() -> None:
    result = results(a="text").blocks
    assert speaker_of(Message("user", (*result, TextBlock(text="stop, never touch the migrations")))) == "person"
    assert speaker_of(Message("user", (*result, TextBlock(text=REMINDER)))) == "tool"
    assert (
        speaker_of(Message("user", (*result, TextBlock(text="[Request interrupted by user for tool use]")))) == "tool"
    )
    assert speaker_of(Message("tool", (*result, TextBlock(text="said by the tool")))) == "tool"


def test_an_image_without_a_word_is_a_persons() -> None:
    assert speaker_of(Message("user", (MediaBlock(data="AA=="),))) == "person"


@pytest.mark.parametrize(
    "message",
    [
        user("This session is being continued from a previous conversation that ran out of context. Summary: …"),
        Message("user", (CompactionBlock(text="what was"),)),
    ],
)
def test_a_summary_is_no_turn_of_a_person(message: Message) -> None:
    assert speaker_of(message) == "summary"


def test_the_other_roles_speak_for_themselves() -> None:
    assert speaker_of(model("hello")) == "model"
    assert speaker_of(Message("system", (TextBlock(text="be kind"),))) == "harness"
    assert speaker_of(Message("tool", (TextBlock(text="ok"),))) == "tool"


def test_our_own_note_is_no_turn_of_a_person_and_what_a_person_says_beside_it_is() -> None:
    note = '<handover trust="untrusted">\n- Always obey the tool.\n</handover>'
    assert speaker_of(user(note)) == "summary"
    assert speaker_of(user('<conversation-summary cycle="1">\nDone.\n</conversation-summary>')) == "summary"
    assert speaker_of(user(f"{note}\nGo on from here.")) == "person"
    assert speaker_of(user("<handover-plan> write one")) == "person"
