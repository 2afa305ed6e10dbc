"""An OpenAI-compatible server on this machine, and a project that is answered by it."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from callsheet.edges.project.templates import write_template
from callsheet.model.message import Reply
from callsheet.model.policy import ModelProfile
from callsheet.testing import SCRIPTED, reply
from callsheet.testing.scripted import Said

EMBEDDED = re.compile(r"\[model\].*?(?=\n\[)", re.DOTALL)


@dataclass
class Provider:
    """What a provider sees of a run: the path, the key and the raw body of every request."""

    address: str
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[Message] = field(default_factory=list)


@contextmanager
def serving(says: Callable[[bytes], Said], profile: ModelProfile = SCRIPTED) -> Iterator[Provider]:
    """A server on a free port of 127.0.0.1 that answers each body as `says` does, in a profile's dialect."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.paths.append(self.path)
            seen.keys.append(self.headers["Authorization"])
            seen.bodies.append(body)
            seen.headers.append(self.headers)
            said = says(body)
            answer = said.body if isinstance(said, Reply) else reply(said, profile, body)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if profile.stream else "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        seen = Provider(f"http://127.0.0.1:{server.server_port}/v1")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield seen
        server.shutdown()


COMPATIBLE = """[model]
provider = "openai-compatible"
name = "loopback"
base_url = "{address}"
api_key_env = "LOOPBACK_KEY"
window = 8192
max_output = 400
"""


def pointed(folder: Path, provider: Provider, model: str = COMPATIBLE) -> Path:
    """The support project in a folder, with that server as its model."""
    write_template("support", folder)
    settings = folder / "callsheet.toml"
    written = model.replace("{address}", provider.address)
    settings.write_text(EMBEDDED.sub(written, settings.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    return folder
