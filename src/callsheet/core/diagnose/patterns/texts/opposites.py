"""Words that turn a statement around: negations, and pairs that exclude each other."""

from ....text.likeness import stem

NEGATIONS = frozenset("not no never without cannot neither nor none".split())
_PAIRS = """
    enabled/disabled enable/disable allowed/forbidden allowed/denied allow/deny allow/forbid permitted/prohibited
    required/optional mandatory/optional always/never true/false yes/no on/off open/closed public/private
    internal/external active/inactive valid/invalid supported/unsupported available/unavailable success/failure
    succeeded/failed passed/failed passing/failing pass/fail accept/reject accepted/rejected approved/rejected
    approved/denied approve/reject increase/decrease increased/decreased rise/fall up/down before/after
    minimum/maximum min/max first/last ascending/descending synchronous/asynchronous sync/async mutable/immutable
    refundable/nonrefundable included/excluded include/exclude encrypted/unencrypted safe/unsafe correct/incorrect
    healthy/unhealthy online/offline read/write start/stop started/stopped present/absent more/less above/below
    recommended/discouraged deprecated/supported must/may with/without can/cannot
"""
OPPOSITES = frozenset(frozenset(map(stem, pair.split("/"))) for pair in _PAIRS.split())
"""Pairs of stems of which a thing is only one."""


def is_negation(word: str) -> bool:
    """True for a word that turns its sentence around."""
    return word in NEGATIONS or word.endswith(("n't", "n’t"))
