"""A service that takes and gives JSON objects, for models that are no chat models: embedders and rerankers."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from .endpoint import Endpoint, plain, utc_now
from .remote import checked_address, checked_key, figures


class JsonService:
    """JSON to and from one address, each exchange within `timeout` seconds, retries included."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        timeout: float = 60.0,
        *,
        retries: int = 4,
        proxy: str | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        address = checked_address(base_url, "a path")
        secret = "" if api_key is None else checked_key(api_key)
        dial = plain(address, {"Authorization": f"Bearer {secret}"} if secret else {})
        self._endpoint = Endpoint(
            address, dial, timeout=timeout, secret=secret, retries=retries, proxy=proxy, clock=clock
        )

    def ask(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The JSON object that answers this one. ModelError, which is an OutageError, where there is none."""
        sent = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
        return figures(self._endpoint.post(path, sent))

    def close(self) -> None:
        """Frees the connections."""
        self._endpoint.close()
