"""What every model behind an address shares, and the checks of an address and a key before anything is sent."""

import importlib.util
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ...core.render.figures import MOST_TOKENS
from ...core.text.parse_json import parse_json
from ...errors import ModelError, UsageError
from ...model.message import Reply
from ...model.policy import ModelProfile
from ...ports import Sink
from .endpoint import Endpoint


class RemoteModel:
    """A model whose calls go to one path of an endpoint."""

    def __init__(self, profile: ModelProfile, endpoint: Endpoint, path: str) -> None:
        self.profile = profile
        self._endpoint = endpoint
        self._path = path

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """The provider's raw reply to exactly this body; a failure is a `Reply` with `error`, never an exception."""
        return self._endpoint.post(self._path, body, sink)

    def cancel(self, sink: Sink | None = None) -> None:
        """Breaks off the call with this sink, or all, from another thread; `unknown`: it may have arrived."""
        self._endpoint.cancel(sink)

    def close(self) -> None:
        """Frees the connections; a later call answers with an error."""
        self._endpoint.close()


def figure(reply: Reply, name: str) -> int:
    """A number of tokens that a provider's JSON gives. ModelError where the reply failed or holds no such number."""
    value = figures(reply).get(name)
    if type(value) is not int or not 0 <= value <= MOST_TOKENS:
        raise ModelError(f"the provider's reply gives no {name}: {reply.body[:200].decode(errors='replace')}")
    return value


def limits(reply: Reply, window: str, output: str) -> tuple[int, int] | None:
    """Tokens of input and of output that a model list gives under these names; None where it does not say both."""
    listed = figures(reply)
    taken, written = listed.get(window), listed.get(output)
    return (taken, written) if isinstance(taken, int) and isinstance(written, int) else None


def figures(reply: Reply) -> Mapping[str, Any]:
    """The JSON object in a reply. ModelError where the reply failed or is none."""
    if reply.error:
        raise ModelError(reply.error, sent=bool(reply.unknown or reply.body))
    try:
        read = parse_json(reply.body)
    except ValueError:
        read = None
    if not isinstance(read, Mapping):
        raise ModelError(f"the provider's reply is no JSON object: {reply.body[:200].decode(errors='replace')}")
    return read


def without(body: bytes, dropped: frozenset[str]) -> bytes:
    """A request's body less some of its fields. UsageError where it is no JSON object."""
    try:
        request = parse_json(body)
    except ValueError as error:
        raise UsageError(f"the body to count is no JSON ({error}); give the bytes of a request") from None
    if not isinstance(request, Mapping):
        raise UsageError(f"the body to count is JSON {type(request).__name__}, not an object; give that of a request")
    kept = {name: value for name, value in request.items() if name not in dropped}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")


def needs_extra(package: str, extra: str) -> None:
    """UsageError that names the extra, where a package is not installed; it is not loaded."""
    if importlib.util.find_spec(package) is None:
        raise UsageError(
            f"this model needs the package {package}, which is not installed; "
            f"run `pip install 'callsheet[{extra}]'` or set another provider"
        )


def checked_address(base_url: str, path: str) -> str:
    """The address without its last slash. UsageError where a path cannot be appended to it."""
    try:
        parts = urlsplit(base_url)
        _ = parts.port  # read only when asked for: no number, or none a port can have
    except ValueError as error:
        raise UsageError(f"the model's base_url {base_url!r} cannot be read ({error})") from None
    if parts.username or parts.password:
        raise UsageError("the model's base_url holds a user name or password; give the key as the api_key instead")
    blank = any(each.isspace() or not each.isprintable() for each in base_url)
    if blank or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(
            f"the model's base_url {base_url!r} is no address to append {path} to; "
            "it reads like https://models.example/v1"
        )
    return base_url.rstrip("/")


def checked_key(api_key: str) -> str:
    """The key as it is. UsageError, which does not repeat it, where it cannot stand in a header."""
    if not (api_key.isascii() and api_key.isprintable() and " " not in api_key and api_key):
        raise UsageError(
            "the model's api_key is empty or holds a blank, a line break or a letter outside ASCII; "
            "copy it again without what surrounds it"
        )
    return api_key
