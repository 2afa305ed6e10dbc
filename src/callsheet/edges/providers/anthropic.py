"""Models that speak Anthropic Messages, through the official SDK."""

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import httpx2

from ...core.render.anthropic import ANTHROPIC
from ...core.render.anthropic.betas import betas_for
from ...model.policy import ModelProfile
from .endpoint import TIMEOUT, Endpoint, Send, utc_now
from .remote import RemoteModel, checked_address, checked_key, figure, limits, needs_extra, without
from .sdk import sending

SDK = "anthropic"
ADDRESS = "https://api.anthropic.com"
PATH = "/v1/messages"

NOT_COUNTED = frozenset(
    "container diagnostics fallback_credit_token fallbacks inference_geo max_tokens metadata service_tier "
    "stop_sequences stream temperature thread top_k top_p".split()
)
"""Fields of a request that `/v1/messages/count_tokens` does not take: the SDK's types of the two requests, compared,
and the sampling parameters of older models, which neither type lists. Fields that nobody knows are sent along."""


class AnthropicModel(RemoteModel):
    """A model behind Anthropic's API, or behind a compatible server at `base_url` (with or without its `/v1`).

    `betas` go into the `anthropic-beta` header of every request, beside those its body makes use of. `timeout` is in
    seconds and covers a call from connecting to the last byte of the reply, retries included. The key appears in no
    error. A server without keys takes any word for one. UsageError when the SDK is not installed; it is loaded at the
    first call, in about a second.
    """

    def __init__(
        self,
        profile: ModelProfile,
        api_key: str,
        base_url: str = ADDRESS,
        timeout: float = 600.0,
        *,
        betas: Sequence[str] = (),
        proxy: str | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        needs_extra(SDK, "anthropic")
        address = checked_address(base_url, PATH).removesuffix("/v1")
        self._api_key = checked_key(api_key)
        self._address = address
        self._betas = tuple(betas)
        endpoint = Endpoint(address, self._dial, timeout=timeout, secret=api_key, proxy=proxy, clock=clock)
        super().__init__(profile, endpoint, PATH)

    def count(self, body: bytes) -> int:
        """Input tokens of a request's body, by the provider's own count. ModelError where it gives none."""
        return figure(self._endpoint.post(f"{PATH}/count_tokens", without(body, NOT_COUNTED)), "input_tokens")

    def limits(self) -> tuple[int, int] | None:
        """Tokens of input and of output that the provider's model list allows, None where it does not say.

        ModelError where there is no such model or no reply.
        """
        return limits(self._endpoint.get(f"/v1/models/{self.profile.name}"), "max_input_tokens", "max_tokens")

    def _dial(self, client: httpx2.AsyncClient) -> Send:
        sdk = importlib.import_module(SDK)
        made = sdk.AsyncAnthropic(
            api_key=self._api_key,
            base_url=self._address,
            webhook_key="",
            timeout=TIMEOUT,
            max_retries=0,
            open_telemetry=False,
            http_client=client,
        )
        return sending(sdk, made, self._headers)

    def _headers(self, body: bytes | None) -> Mapping[str, str]:
        """The header that names the betas: those of the settings, and those that the body makes use of."""
        named = ",".join(dict.fromkeys((*self._betas, *_used(body))))
        return {"anthropic-beta": named} if named else {}


def _used(body: bytes | None) -> tuple[str, ...]:
    """The betas of a request's body; none where it is no request, which the server will say."""
    try:
        return betas_for(ANTHROPIC.decode(json.loads(body))) if body else ()
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return ()
