"""The model inside this process, reached only through its own loopback listener, like any other server."""

import atexit
import importlib.util
import os
import secrets
import threading
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ...errors import ModelError, UsageError, WeightsError
from ...model.message import Reply
from ...model.policy import ModelProfile
from ...ports import Sink
from .endpoint import Endpoint, plain, utc_now
from .remote import figure

RUNTIME = "xllamacpp"
PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic": "/v1/messages",
}
"""Where the listener speaks which dialect."""

COUNT_PATHS = {
    "openai_chat": "/v1/chat/completions/input_tokens",
    "openai_responses": "/v1/responses/input_tokens",
    "anthropic": "/v1/messages/count_tokens",
}
"""Where it counts a request of that dialect; it looks at no field that does not change the prompt."""

CONTEXT_TOKENS = 8_192
PROMPT_CACHE_MEBIBYTES = 512
SILENT = -1
"""The runtime's verbosity below its errors: those reach us as an exception or as an HTTP reply, and are said there."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the listener of a loaded model is, without a version, and the password it asks for."""

    address: str
    password: str = field(repr=False)


class EmbeddedModel:
    """A model loaded from `weights_path` at its first call, once, in about two seconds.

    Its listener speaks three dialects; the profile says which of them calls are in, and `connection` opens the others.
    Its window is the smaller of the profile's and `context`, and `profile` says so: what is assembled for it fits.
    `timeout` is in seconds per call, loading not included. `threads` of None reads the prompt on every core and writes
    the reply on all but one. With `prompt_cache` a prefix that was read before costs nothing, and the same body may get
    another reply than cold, temperature 0 or not: an experiment that compares replies switches it off.
    `held_to` is the JSON schema of every reply whose request sets none of its own: in Responses and Messages the
    listener enforces no other.
    UsageError when the runtime is not installed or the dialect is none of the three, WeightsError when the file is not
    there; all before anything loads.
    """

    def __init__(
        self,
        weights_path: Path,
        profile: ModelProfile,
        threads: int | None = None,
        timeout: float = 120.0,
        *,
        context: int = CONTEXT_TOKENS,
        prompt_cache: bool = True,
        held_to: str | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if importlib.util.find_spec(RUNTIME) is None:
            raise UsageError(
                "the embedded model needs its runtime, which is not installed; "
                "run `pip install 'callsheet[embedded]'` or set another provider"
            )
        if profile.dialect not in PATHS:
            raise UsageError(f"the embedded model speaks {', '.join(PATHS)}, not {profile.dialect}; name one of these")
        if not weights_path.is_file():
            raise WeightsError(f"no model weights at {weights_path}; run `callsheet model pull`")
        self.profile = replace(profile, window=min(profile.window, context))
        self._weights_path = weights_path
        self._threads = threads
        self._timeout = timeout
        self._prompt_cache = prompt_cache
        self._held_to = held_to
        self._clock = clock
        self._loading = threading.Lock()
        self._server: Any = None
        self._endpoint: Endpoint | None = None
        self._connection: Connection | None = None
        self._cancelled = 0
        self._closed = False

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """The model's raw reply to exactly this body; a failure is a `Reply` with `error`, never an exception."""
        return self.post(PATHS[self.profile.dialect], body, sink)

    def count(self, body: bytes) -> int:
        """Input tokens of a request's body, by the listener's own count. ModelError where it gives none."""
        return figure(self.post(COUNT_PATHS[self.profile.dialect], body), "input_tokens")

    def connection(self) -> Connection:
        """The listener's address and password, for any client on this machine, until `close`; it loads the model.

        `AnthropicModel(profile, it.password, it.address)` and `OpenAIModel(profile, it.password, it.address + "/v1")`
        are the official SDKs on it. ModelError where the model cannot be loaded.
        """
        try:
            self._open()
        except Exception as error:
            raise ModelError(self._not_loaded(error), sent=False) from error
        assert self._connection is not None, "an open model has one"
        return self._connection

    def post(self, path: str, body: bytes, sink: Sink | None = None) -> Reply:
        """The raw reply of another of the listener's paths, such as `/tokenize` or `/apply-template`."""
        cancelled = self._cancelled
        try:
            endpoint = self._open()
        except Exception as error:  # the runtime's own words: a damaged file, no memory, no port
            return Reply(error=self._not_loaded(error))
        if cancelled != self._cancelled:
            return Reply(error="the call was cancelled while the model was loading")
        return endpoint.post(path, body, sink)

    def cancel(self, sink: Sink | None = None) -> None:
        """Breaks off the call with this sink, or all, from another thread; what still loads is never sent."""
        self._cancelled += 1
        if (endpoint := self._endpoint) is not None:
            endpoint.cancel(sink)

    def close(self) -> None:
        """Frees the model's memory and its port; a later call answers with an error."""
        with self._loading:
            self._closed = True
            endpoint, self._endpoint = self._endpoint, None
            if endpoint is not None:
                endpoint.close()
            self._server = None  # the last reference: the runtime stops its threads and frees the weights here

    def _open(self) -> Endpoint:
        with self._loading:
            if self._closed:
                raise RuntimeError("the model was closed")
            if self._endpoint is None:
                password = secrets.token_urlsafe(24)
                self._server = self._load(password)
                # The runtime must not be taken down by the interpreter's end while it still writes a reply.
                atexit.register(_close, weakref.ref(self))
                self._connection = Connection(self._server.listening_address, password)
                self._endpoint = Endpoint(
                    self._connection.address,
                    plain(self._connection.address, {"Authorization": f"Bearer {password}"}),
                    timeout=self._timeout,
                    name=self.profile.name,
                    secret=password,
                    retries=0,
                    keep_alive=False,  # the listener drops idle connections whenever it likes
                    clock=self._clock,
                )
            return self._endpoint

    def _not_loaded(self, error: Exception) -> str:
        return f"the model {self.profile.name} could not be loaded from {self._weights_path}: {error}"

    def _load(self, password: str) -> Any:
        runtime = importlib.import_module(RUNTIME)
        params = runtime.CommonParams()
        params.model.path = str(self._weights_path)
        params.model_alias = {self.profile.name}  # else replies name a path of this machine
        params.n_ctx = self.profile.window
        params.n_parallel = 1
        params.cache_prompt = self._prompt_cache
        params.cache_ram_mib = PROMPT_CACHE_MEBIBYTES if self._prompt_cache else 0
        if self._held_to is not None:
            user = runtime.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
            params.sampling.grammar = runtime.CommonGrammar(user, runtime.json_schema_to_grammar(self._held_to))
        params.verbosity = SILENT
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        # Whoever else is on this machine can reach the port, but gets no answer there.
        params.api_keys = [password]
        params.ui = False
        params.endpoint_slots = False
        params.cpuparams.n_threads = self._threads or _spare_threads()
        params.cpuparams_batch.n_threads = self._threads or os.cpu_count() or 1
        return runtime.Server(params)


def _close(model: "weakref.ref[EmbeddedModel]") -> None:
    """Closes a model that is still there, at the interpreter's end."""
    if (left := model()) is not None:
        # A connection that was under way is left where it stands; nobody needs to read of that any more.
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        left.close()


def _spare_threads() -> int:
    # Threads that write wait for one another at every layer: with one on each core, a single busy neighbour slows them
    # tenfold, and a free core costs a third. A small model gains nothing from more than four.
    return max(1, min(4, (os.cpu_count() or 1) - 1))
