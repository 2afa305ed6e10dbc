"""The memory tool as the Anthropic SDK's own: its base classes, our paths, rooms and limits behind them (C7).

It takes the place of `BetaLocalFilesystemMemoryTool` in `client.beta.messages.tool_runner(tools=[…])`. A refusal is the
SDK's `ToolError`, which reaches the model as a result with `is_error`.
"""

from collections.abc import Mapping
from typing import Any, cast

from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaCacheControlEphemeralParam
from anyio.to_thread import run_sync

from .faces import Perform, told

Cache = Mapping[str, Any] | None


def tool(perform: Perform, cache_control: Cache = None) -> BetaAbstractMemoryTool:
    """The memory tool of a session, for the SDK's client."""
    return _Tool(perform, cache_control)


def async_tool(perform: Perform, cache_control: Cache = None) -> BetaAsyncAbstractMemoryTool:
    """The memory tool of a session, for the SDK's async client."""
    return _AsyncTool(perform, cache_control)


def _answered(perform: Perform, given: object) -> str:
    """The words of a reply; a ToolError with them where it was refused. A command may be the SDK's typed one."""
    arguments = given if isinstance(given, Mapping) or given is None else cast(Any, given).to_dict(mode="json")
    text, reply = told(perform, arguments)
    if reply is None or reply.refused:
        raise ToolError(text)
    return text


class _Tool(BetaAbstractMemoryTool):
    def __init__(self, perform: Perform, cache_control: Cache) -> None:
        super().__init__(cache_control=cast("BetaCacheControlEphemeralParam | None", cache_control))
        self._perform = perform

    def call(self, input: object) -> str:
        """The words for a raw input: what the model wrote is judged as it is, and not as the SDK's types read it."""
        return _answered(self._perform, input)

    def execute(self, command: Any) -> str:
        return _answered(self._perform, command)

    view = create = str_replace = insert = delete = rename = execute


class _AsyncTool(BetaAsyncAbstractMemoryTool):
    def __init__(self, perform: Perform, cache_control: Cache) -> None:
        super().__init__(cache_control=cast("BetaCacheControlEphemeralParam | None", cache_control))
        self._perform = perform

    async def call(self, input: object) -> str:
        """As the other's, off the event loop's thread: files and rows are waited for."""
        return await run_sync(_answered, self._perform, input)

    async def execute(self, command: Any) -> str:
        return await run_sync(_answered, self._perform, command)

    view = create = str_replace = insert = delete = rename = execute
