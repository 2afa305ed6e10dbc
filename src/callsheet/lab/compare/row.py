"""One policy's row of the comparison, as a value that can be added up, kept in a file and read again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .billing import Bill
from .facts import Kind
from .survival import Survival


@dataclass(frozen=True, slots=True)
class Row:
    """What a policy came to: its bill, what survived by kind, how many look-alikes stood beside each fact in use.

    `fates` has a letter for each use of a fact, in the order of all uses: 1 where it was in the window, else 0; so
    two policies of the same conversations can be compared pair by pair. `seconds` is what the replay took. `failed`
    says what a defect of the policy was; such a row has no figures.
    """

    name: str
    bill: Bill = Bill()
    survival: Mapping[Kind, Survival] = field(default_factory=dict)
    alike: tuple[int, ...] = ()
    fates: str = ""
    seconds: float = 0.0
    failed: str = ""

    def plus(self, other: "Row") -> "Row":
        """The row of both together; none where a defect left one of them without figures."""
        if failed := self.failed or other.failed:
            return Row(self.name, failed=failed)
        kinds = dict(self.survival)
        for kind, each in other.survival.items():
            kinds[kind] = kinds[kind].plus(each) if kind in kinds else each
        return Row(
            self.name,
            self.bill.plus(other.bill),
            kinds,
            self.alike + other.alike,
            self.fates + other.fates,
            self.seconds + other.seconds,
        )

    @property
    def whole(self) -> Survival:
        """What survived, of all kinds together."""
        total = Survival()
        for each in self.survival.values():
            total = total.plus(each)
        return total

    def paired(self, other: "Row") -> tuple[int, int]:
        """In how many uses a fact was in this policy's window and not in the other's, and the reverse."""
        pairs = list(zip(self.fates, other.fates, strict=True))
        return pairs.count(("1", "0")), pairs.count(("0", "1"))


def total(rows: Sequence[Row]) -> Row:
    """The row of all of them together, which are of one policy."""
    made = Row(rows[0].name)
    for each in rows:
        made = made.plus(each)
    return made


def written(row: Row) -> dict[str, Any]:
    """A row as JSON knows it."""
    return asdict(row)


def read(known: Mapping[str, Any]) -> Row:
    """The row that was written so. KeyError or TypeError where it is none."""
    return Row(
        name=known["name"],
        bill=Bill(**known["bill"]),
        survival={kind: Survival(**each) for kind, each in known["survival"].items()},
        alike=tuple(known["alike"]),
        fates=known["fates"],
        seconds=known["seconds"],
        failed=known["failed"],
    )
