"""`[openapi]` of `callsheet.toml`: HTTP APIs whose operations are tools, and what this project says of them (D1)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.gateway.access import judge_address
from ...core.gateway.names import SERVER_ID
from ...core.tools.contracts import LocalContract
from .store_settings import VARIABLE
from .text import Source

_SAFE = re.compile(r"https://|http://(?:127\.0\.0\.1|localhost|\[::1\])[:/]")


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """[openapi.ID]: the document, relative to the project, and the address that its paths are called under.

    `token_env` names the variable whose value is sent as `token_header`, as a bearer token where that is
    Authorization. `operations` are those that become tools (None: all). `scope` is the grant that an actor needs.
    `timeout` is seconds. `tools` says of single operations, by their own ids, what counts of them.
    """

    document: str
    base_url: str
    token_env: str | None = None
    token_header: str = "Authorization"
    operations: tuple[str, ...] | None = None
    scope: str | None = None
    timeout: float = 30.0
    tools: Mapping[str, LocalContract] = field(default_factory=dict)


def openapi_settings(table: Mapping[str, ApiSettings], source: Source) -> Mapping[str, ApiSettings]:
    """The table as it is written; a Problem for what no API could be called by."""
    for name, api in table.items():
        for key, why, fix in _mistakes(name, api):
            raise source.problem(("openapi", name, key), "invalid-value", why, fix)
    return table


def _mistakes(name: str, api: ApiSettings) -> Iterator[tuple[str, str, str]]:
    """The key below [openapi.ID], what is wrong with it, and the way out."""
    at = f"openapi.{name}"
    if not SERVER_ID.fullmatch(name) or len(name) > 32:
        yield "", f"{at}: {name!r} is no id", "write small letters, digits and single hyphens, at most 32"
    if not _SAFE.match(f"{api.base_url}/"):
        yield "base_url", f"{at}.base_url is neither https nor of this machine", "give an https address"
    if judge_address(api.base_url).outcome == "refuse":
        yield "base_url", f"{at}.base_url holds a credential", 'put it into a variable: token_env = "MY_TOKEN"'
    if api.token_env is not None and not VARIABLE.fullmatch(api.token_env):
        yield "token_env", f"{at}.token_env is no name of a variable", "write the variable's name, not its value"
    if not 0 < api.timeout <= 86_400:
        yield "timeout", f"{at}.timeout = {api.timeout} lies outside 0 to 86400", "give a number of seconds"
    for tool in api.tools:
        if api.operations is not None and tool not in api.operations:
            yield "tools", f"{at}.tools names {tool!r}, which is not among its operations", "add it there"
