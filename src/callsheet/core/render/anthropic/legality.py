"""What Anthropic Messages refuses, found before it is sent (Messages API, handling tool calls)."""

from ....model.policy import ModelTraits
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import first
from .marks import marks_legal
from .options import OPTIONS
from .pairing import PAIRING
from .placement import PLACEMENT, only_where_taken


def illegal(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks, or None."""
    return first((*PLACEMENT, *PAIRING, marks_legal, *OPTIONS), prompt) or only_where_taken(prompt, traits)
