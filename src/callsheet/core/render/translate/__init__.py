"""A conversation from one dialect, made sayable in another; what could not be taken along is reported."""

from .notes import LEFT_OUT, Left
from .prompt import Translated, for_dialect

__all__ = ["LEFT_OUT", "Left", "Translated", "for_dialect"]
