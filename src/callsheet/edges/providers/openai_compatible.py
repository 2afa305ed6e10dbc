"""Any server that speaks Chat Completions, as a model."""

from collections.abc import Callable
from datetime import datetime
from urllib.parse import urlsplit

from ...errors import UsageError
from ...model.message import Reply
from ...model.policy import ModelProfile
from .chat_http import ChatEndpoint, utc_now


class OpenAICompatibleModel:
    """A model behind `base_url` (with its version, for example `https://models.example/v1`).

    `timeout` is in seconds and covers a call from connecting to the last byte of the reply. `api_key` goes into the
    Authorization header and appears in no error. `proxy` is what the host found in its settings.
    """

    def __init__(
        self,
        base_url: str,
        profile: ModelProfile,
        api_key: str | None = None,
        timeout: float = 120.0,
        *,
        proxy: str | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.profile = profile
        _check_address(base_url)
        _check_key(api_key)
        self._endpoint = ChatEndpoint(base_url, timeout=timeout, secret=api_key or "", proxy=proxy, clock=clock)

    def call(self, body: bytes) -> Reply:
        """The provider's raw reply to exactly this body; a failure is a `Reply` with `error`, never an exception."""
        return self._endpoint.post("/chat/completions", body)

    def cancel(self) -> None:
        """Breaks off the call that is running, from another thread; that call answers with `unknown`."""
        self._endpoint.cancel()

    def close(self) -> None:
        """Frees the connections; a later call answers with an error."""
        self._endpoint.close()


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
    except ValueError as error:
        raise UsageError(f"the model's base_url {base_url!r} cannot be read ({error})") from None
    if parts.username or parts.password:
        raise UsageError("the model's base_url holds a user name or password; give the key as the api_key instead")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(
            f"the model's base_url {base_url!r} is no address to append /chat/completions to; "
            "it reads like https://models.example/v1"
        )


def _check_key(api_key: str | None) -> None:
    if api_key is not None and not (api_key.isascii() and api_key.isprintable() and " " not in api_key and api_key):
        raise UsageError(
            "the model's api_key is empty or holds a blank, a line break or a letter outside ASCII; "
            "copy it again without what surrounds it"
        )
