"""OpenAI Chat Completions, which many servers speak."""

from ..dialect import Dialect
from .legality import illegal
from .request import decode, encode
from .response import accumulate, deltas, response, usage

OPENAI_CHAT = Dialect("openai_chat", decode, encode, illegal, response, accumulate, deltas, usage)
