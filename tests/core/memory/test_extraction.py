"""What a conversation's user turns hold of the person's own statements, by rule (C6)."""

import pytest

from callsheet.core.memory.extraction import LONGEST, statements, verified
from callsheet.model.memory import Statement
from callsheet.model.message import Message, Role, TextBlock


def said(text: str, role: Role = "user") -> Message:
    return Message(role, (TextBlock(text=text),))


def found(text: str) -> list[str]:
    return [each.text for each in statements((said(text),))]


def test_only_user_turns_are_read_and_each_statement_once() -> None:
    turns = (said("I like tea."), said("I like milk.", "assistant"), said("I like rum.", "tool"), said("I like tea."))
    assert statements(turns) == (Statement("I like tea."),)


@pytest.mark.parametrize(
    "handed_on",
    [
        "<memory>\nI like rum.\n</memory>",
        "<evidence source='x'>I like rum.",
        "```\nI like rum.\n```",
        "> I like rum.",
        "fact (user_stated): I like rum.",
        "<email>\nI like rum.\n</email>",
        "From: I like rum.",
    ],
)
def test_what_the_person_hands_on_is_not_its_own_word(handed_on: str) -> None:
    assert found(f"I like tea.\n{handed_on}") == ["I like tea."]


@pytest.mark.parametrize("talk", ["I see.", "Oh, I hope you are well.", "I'm not sure.", "Ich verstehe.", "Nie wiem."])
def test_what_only_keeps_the_talk_going_is_no_statement(talk: str) -> None:
    assert found(talk) == []


def test_a_statement_of_nobody_and_a_text_too_long_to_be_one_are_passed_over() -> None:
    assert found("The sky is blue.") == []
    assert found(f"I like {'tea and ' * LONGEST}.") == []


@pytest.mark.parametrize(
    ("text", "kind", "relation"),
    [
        ("I went to Rome yesterday.", "episodic", ""),
        ("Wczoraj kupiłem samochód.", "episodic", ""),
        ("I live in Rome.", "semantic", "home"),
        ("Call me Sam.", "procedural", "name"),
        ("Bitte antworte immer auf Deutsch.", "procedural", ""),
        ("Ich bevorzuge kurze Antworten.", "procedural", ""),
    ],
)
def test_a_statement_has_its_kind_and_relation(text: str, kind: str, relation: str) -> None:
    (statement,) = statements((said(text),))
    assert (statement.kind, statement.relation) == (kind, relation)


def test_what_a_model_lists_is_the_persons_only_word_for_word() -> None:
    turn = said("Hi. I like tea, with milk. Thanks.")
    listed = ("- I like tea, with milk", "2. I like tea.", "The user likes tea.", "")
    assert [(each.text, each.origin) for each in verified(listed, (turn,))] == [
        ("I like tea, with milk.", "user"),
        ("I like tea.", "model"),
        ("The user likes tea.", "model"),
    ]
