"""Models that speak Gemini's generateContent. The official SDK sends no bytes as given, so that nothing of it is used.

Its client takes requests as dicts and serialises them itself; what would be left of it is one header.
"""

import json
from collections.abc import Callable
from datetime import datetime
from urllib.parse import quote

from ...model.policy import ModelProfile
from .endpoint import Endpoint, plain, utc_now
from .remote import RemoteModel, checked_address, checked_key, figure, limits, without

ADDRESS = "https://generativelanguage.googleapis.com/v1beta"


class GeminiModel(RemoteModel):
    """A model behind Gemini's API, or behind a compatible server at `base_url` (with its version).

    The model's name and whether the reply is streamed stand in the path, not in the body: both come from the profile.
    `timeout` is in seconds and covers a call from connecting to the last byte of the reply, retries included. The key
    goes into the `x-goog-api-key` header and appears in no error.
    """

    def __init__(
        self,
        profile: ModelProfile,
        api_key: str,
        base_url: str = ADDRESS,
        timeout: float = 600.0,
        *,
        proxy: str | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._model = f"models/{quote(profile.name.removeprefix('models/'), safe='')}"
        path = f"/{self._model}:{'streamGenerateContent?alt=sse' if profile.stream else 'generateContent'}"
        address = checked_address(base_url, path)
        dial = plain(address, {"x-goog-api-key": checked_key(api_key)})
        endpoint = Endpoint(address, dial, timeout=timeout, secret=api_key, proxy=proxy, clock=clock)
        super().__init__(profile, endpoint, path)

    def count(self, body: bytes) -> int:
        """Input tokens of a request's body, by the provider's own count. ModelError where it gives none.

        countTokens takes a request whole, system instruction and tools included; no field is dropped.
        """
        request = json.loads(without(body, frozenset()))
        whole = {"generateContentRequest": {"model": self._model, **request}}
        return figure(self._endpoint.post(f"/{self._model}:countTokens", json.dumps(whole).encode()), "totalTokens")

    def limits(self) -> tuple[int, int] | None:
        """Tokens of input and of output that the provider's model list allows, None where it does not say.

        ModelError where there is no such model or no reply.
        """
        return limits(self._endpoint.get(f"/{self._model}"), "inputTokenLimit", "outputTokenLimit")
