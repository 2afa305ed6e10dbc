"""An operation of an HTTP API as it is called: the contract, and where each argument goes (OpenAPI 3.0, 3.1)."""

from dataclasses import dataclass
from typing import Literal

from .tool import ToolContract

Place = Literal["path", "query", "header"]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an argument goes, and what it is called there; `joined` lists stand with commas in one parameter."""

    argument: str
    place: Place
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: method, path template, the places of its arguments, and the type of its body ("": none).

    The body is the argument `body`; `key_header` is the header of the idempotency key.
    """

    contract: ToolContract
    method: str
    path: str
    placed: tuple[Placed, ...] = ()
    body_type: str = ""
    key_header: str = ""
