"""Any server that speaks Chat Completions, as a model; nothing needs to be installed for it."""

from collections.abc import Callable
from datetime import datetime

from ...model.policy import ModelProfile
from .endpoint import Endpoint, plain, utc_now
from .remote import RemoteModel, checked_address, checked_key

PATH = "/chat/completions"


class OpenAICompatibleModel(RemoteModel):
    """A model behind `base_url` (with its version, for example `https://models.example/v1`).

    `timeout` is in seconds and covers a call from connecting to the last byte of the reply, retries included. `api_key`
    goes into the Authorization header and appears in no error. `proxy` is what the host found in its settings.
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
        address = checked_address(base_url, PATH)
        secret = "" if api_key is None else checked_key(api_key)
        dial = plain(address, {"Authorization": f"Bearer {secret}"} if secret else {})
        endpoint = Endpoint(address, dial, timeout=timeout, secret=secret, proxy=proxy, clock=clock)
        super().__init__(profile, endpoint, PATH)
