"""The prompt: one request to a model, provider-neutral; and what streams back while it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .content import Owned, Text
from .message import Block, Finish, Form, Message, ToolDefinition, Usage


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Which tools a model may or must use: by itself (auto), some (any), none, one by name, or among those allowed.

    An empty mode leaves it to the provider.

    `required` goes with "allowed": one of them must be called. `parallel` is whether several may be called at once.
    """

    mode: Literal["", "auto", "any", "none", "tool", "allowed"] = "auto"
    names: tuple[Text | Owned, ...] = ()
    required: bool = False
    parallel: bool | None = None
    native: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The JSON schema a reply is held to, with the name some dialects want.

    `key` is the dialect's name of its place where it has several.
    """

    schema: Any
    name: str = "proposal"
    strict: bool | None = True
    native: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. None and the form "absent" mean that the request does not say it.

    `system` stands before the messages where a dialect has such a place, else at their head. `parameters` are the
    dialect's own settings under its own names: sampling, thinking, native context management. `max_output_key` is the
    dialect's name of the limit where it has several. `unknown` lists the
    paths of what the dialect's tables do not know; it was kept all the same.
    """

    model: str | None = None
    messages: tuple[Message, ...] = ()
    system: tuple[Block, ...] = ()
    system_form: Form = "absent"
    tools: tuple[ToolDefinition, ...] | None = None
    choice: ToolChoice | None = None
    output: OutputSchema | None = None
    max_output: int | None = None
    max_output_key: str = ""
    stream: bool | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a reply under way.

    `kind` says of what: `text`, `thinking`, `call` (`text` is a piece of the arguments, `name` the tool's), or `usage`
    and `finish` as they become known. `index` counts the blocks of the reply from 0.
    """

    kind: Literal["text", "thinking", "call", "usage", "finish"]
    text: str = ""
    index: int = 0
    name: str = ""
    usage: Usage | None = None
    finish: Finish = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of a whole prompt, and what that rests on: the counter's name, and whether it is exact or an estimate."""

    tokens: int
    basis: str
