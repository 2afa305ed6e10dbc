"""What of a conversation is still there, word for word, whenever it is needed again; and what stands beside it (H4)."""

from dataclasses import dataclass

from .facts import Kind
from .gathered import Gathered
from .replay import Sent
from .window import Window

KINDS: tuple[Kind, ...] = ("path", "identifier", "number", "error", "rule", "decision", "value")


@dataclass(frozen=True, slots=True)
class Survival:
    """What became of the facts of one kind: how often they were used, and where they were then.

    `used` = `in_window` + `addressable` + `lost`. `addressable` facts are not in the window, but a piece of it stands
    for a message that holds them.
    """

    used: int = 0
    in_window: int = 0
    addressable: int = 0

    @property
    def lost(self) -> int:
        """Uses of what was neither in the window nor addressable."""
        return self.used - self.in_window - self.addressable

    def plus(self, other: "Survival") -> "Survival":
        """The counts of both together."""
        return Survival(self.used + other.used, self.in_window + other.in_window, self.addressable + other.addressable)


@dataclass(frozen=True, slots=True)
class Kept:
    """What survived by kind; `alike` are, at each use of a fact in the window, how many others looked like it.

    `fates` say of each use, in the order of all uses, whether the fact was in the window: what a paired comparison of
    two policies needs.
    """

    kinds: dict[Kind, Survival]
    alike: tuple[int, ...]
    fates: tuple[bool, ...]


class Surviving:
    """Follows the facts of a conversation through what a policy sends."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._window = Window(gathered.mentions)
        self._counts: dict[Kind, list[int]] = {kind: [0, 0, 0] for kind in KINDS}
        self._alike: list[int] = []
        self._fates: list[bool] = []

    def take(self, sent: Sent) -> None:
        """Takes one round in."""
        self._window.take(sent.view)
        gathered = self._gathered
        for fact in sorted(gathered.uses[sent.round.number]):
            about = gathered.mentions.facts[fact]
            counts = self._counts[about.kind]
            within = self._window.holds(fact)
            counts[0] += 1
            counts[1] += within
            self._fates.append(within)
            if within:
                self._alike.append(self._window.alike(about.text))
            else:
                counts[2] += any(map(self._window.stands_for, gathered.where[fact]))

    def result(self) -> Kept:
        """What survived, over all rounds taken."""
        kinds = {kind: Survival(*counts) for kind, counts in self._counts.items() if counts[0]}
        return Kept(kinds, tuple(self._alike), tuple(self._fates))
