"""What the request to come allows and costs: the window, what is offered in it, prices, and how long it will go on."""

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import UsageError
from ...model.history_policy import Thinking
from ...model.policy import Prices

Count = Callable[[str], int]
RESERVE_MOST = 0.5
"""The largest share of the window that a reply may be given: what is left must hold a request."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one request, in tokens.

    `state` is the canonical state, as text.
    `window` is the model's whole window and `max_output` the reply's limit, None where it is not known. `overhead` are
    system text and tool definitions. `tools` are the names of the tools it offers, `recall` the one among them that
    reads an original by its number, if any. `remaining` are the rounds still to come, as far as that can be told.
    `binds_thinking` says that the model seals its thinking to what stood before it, `thinking` what the policy does
    about that. What is not known is None and is never guessed; a window always has to be known (reports 13, 14).
    """

    window: int
    count: Count
    max_output: int | None = None
    reserve: float = 0.2
    overhead: int = 0
    tools: frozenset[str] = frozenset()
    recall: str = ""
    prices: Prices | None = None
    binds_thinking: bool = False
    thinking: Thinking = "strip"
    remaining: float | None = None
    state: str = ""

    def __post_init__(self) -> None:
        if type(self.window) is not int or self.window <= 0:
            raise UsageError(f"the model's window is {self.window} tokens; name it (window=), it is never guessed")
        if not 0 <= self.reserve <= RESERVE_MOST:
            raise UsageError(f"reserve is the share of the window kept for the reply, 0 to 0.5, and not {self.reserve}")
        if self.overhead < 0 or (self.max_output is not None and self.max_output <= 0):
            raise UsageError(
                f"tokens are counted from 0: overhead is {self.overhead}, max_output {self.max_output}; leave "
                "max_output out where the reply's limit is not known"
            )
        if self.usable <= 0:
            raise UsageError(
                f"nothing of the window of {self.window} tokens is left for messages: the reply takes {self.reply}, "
                f"system text and tools take {self.overhead}; name a larger window"
            )

    @property
    def reply(self) -> int:
        """Tokens kept free for the reply: its limit, but never more than half of the window (report 13)."""
        most = int(self.window * RESERVE_MOST)
        return int(self.window * self.reserve) if self.max_output is None else min(self.max_output, most)

    @property
    def usable(self) -> int:
        """Tokens that the messages of a request may fill."""
        return self.window - self.reply - self.overhead
