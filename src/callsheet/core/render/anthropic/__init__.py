"""Anthropic Messages, as the provider itself, Bedrock and other servers speak it."""

from ..dialect import Dialect
from .legality import illegal
from .request import decode, encode
from .response import accumulate, deltas, response, usage

ANTHROPIC = Dialect("anthropic", decode, encode, illegal, response, accumulate, deltas, usage)
