"""Models that speak OpenAI Responses or Chat Completions, through the official SDK."""

import importlib
from collections.abc import Callable
from datetime import datetime

import httpx2

from ...errors import UsageError
from ...model.policy import ModelProfile
from .endpoint import TIMEOUT, Endpoint, Send, utc_now
from .remote import RemoteModel, checked_address, checked_key, figure, needs_extra, without
from .sdk import sending

SDK = "openai"
ADDRESS = "https://api.openai.com/v1"
PATHS = {"openai_chat": "/chat/completions", "openai_responses": "/responses"}

NOT_COUNTED = frozenset(
    "access_programs background background_options context_management image include max_output_tokens max_tool_calls "
    "metadata moderation prompt prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier "
    "service_tier store stream stream_options temperature top_logprobs top_p user".split()
)
"""Fields of a request that `/responses/input_tokens` does not take: the SDK's types of the two requests, compared.
Fields that nobody knows are sent along."""


class OpenAIModel(RemoteModel):
    """A model behind OpenAI's API, or behind a compatible server at `base_url` (with its version, as in `…/v1`).

    The profile's dialect says which of the two: `openai_responses` or `openai_chat`. `timeout` is in seconds and covers
    a call from connecting to the last byte of the reply, retries included. The key appears in no error. A server
    without keys takes any word for one. UsageError when the SDK is not installed; it is loaded at the first call, in
    about a second.
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
        needs_extra(SDK, "openai")
        if profile.dialect not in PATHS:
            raise UsageError(f"an OpenAI model speaks {' or '.join(PATHS)}, not {profile.dialect}")
        path = PATHS[profile.dialect]
        self._address = checked_address(base_url, path)
        self._api_key = checked_key(api_key)
        endpoint = Endpoint(self._address, self._dial, timeout=timeout, secret=api_key, proxy=proxy, clock=clock)
        super().__init__(profile, endpoint, path)

    def count(self, body: bytes) -> int:
        """Input tokens of a Responses request's body, by the provider's own count. ModelError where it gives none.

        UsageError for Chat Completions, which has no such endpoint.
        """
        if self.profile.dialect != "openai_responses":
            raise UsageError("Chat Completions has no endpoint that counts; use the dialect openai_responses")
        return figure(self._endpoint.post("/responses/input_tokens", without(body, NOT_COUNTED)), "input_tokens")

    def limits(self) -> tuple[int, int] | None:
        """None: OpenAI's model list says nothing of limits."""
        return None

    def _dial(self, client: httpx2.AsyncClient) -> Send:
        sdk = importlib.import_module(SDK)
        # Empty, not None: for None it asks the environment.
        made = sdk.AsyncOpenAI(
            api_key=self._api_key,
            base_url=self._address,
            admin_api_key="",
            webhook_secret="",
            organization="",
            project="",
            timeout=TIMEOUT,
            max_retries=0,
            http_client=client,
        )
        made.organization = made.project = None
        return sending(sdk, made)
