"""OpenAI Responses: a request is a list of items, and so is a response."""

from ..dialect import Dialect
from .legality import illegal
from .request import decode, encode
from .response import accumulate, deltas, response, usage

OPENAI_RESPONSES = Dialect("openai_responses", decode, encode, illegal, response, accumulate, deltas, usage)
