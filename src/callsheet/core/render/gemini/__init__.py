"""Gemini's generateContent, as the Gemini API and Vertex AI speak it. Model and streaming stand in the URL."""

from ..dialect import Dialect
from .legality import illegal
from .request import decode, encode
from .response import accumulate, deltas, response, usage

GEMINI = Dialect("gemini", decode, encode, illegal, response, accumulate, deltas, usage)
