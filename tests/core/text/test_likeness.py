"""How alike two sets of words are."""

from callsheet.core.text.likeness import likeness

KEY, LOCK = frozenset({"key", "revoked"}), frozenset({"lock", "door"})


def test_likeness_is_the_share_of_common_words() -> None:
    assert (likeness(KEY, KEY), likeness(KEY, LOCK), likeness(KEY, KEY | LOCK)) == (1.0, 0.0, 0.5)
    assert likeness(frozenset(), frozenset()) == 0.0
