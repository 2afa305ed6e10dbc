"""What a sub-agent hands back: an answer made of claims, each with the spans it rests on, and where it worked (F11)."""

from dataclasses import dataclass

from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source, with the words that stand there: characters [start, end) of the source's text.

    `source` is an id that the child was given: a message number of its window, an artifact, a document's section.
    """

    source: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that the answer says, and the spans it rests on."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """A sub-agent's answer with what lies behind it.

    `manifest` names the record of what the child was given: its `request_id`, or the fingerprint of its window.
    `none_available` says that what was asked for is not in what the child was given: an answer of its own, without
    claims, and never an error. `looked_in` are the sources it rests on then.
    """

    manifest: str
    claims: tuple[Claim, ...] = ()
    none_available: bool = False
    looked_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the parent takes of a receipt: claims that resolve, and for each other one the verdict that refused it.

    `none_available` is the child's own word for it, and is accepted as such. `answer` is what may go into the parent's
    window.
    """

    claims: tuple[Claim, ...]
    refused: tuple[tuple[Claim, Verdict], ...]
    none_available: bool
    manifest: str

    @property
    def answer(self) -> str:
        """The accepted claims as text, each with its sources; or that there is none."""
        if self.none_available:
            return "none available"
        return "\n".join(f"{claim.text} [{', '.join(_places(claim))}]" for claim in self.claims)


def _places(claim: Claim) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{span.source}:{span.start}-{span.end}" for span in claim.spans))
