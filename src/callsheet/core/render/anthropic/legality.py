"""What Anthropic Messages refuses, found before it is sent."""

from ....model.policy import ModelTraits
from ....model.prompt import Prompt
from ....model.verdict import Verdict


def illegal(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks, or None."""
    return None
