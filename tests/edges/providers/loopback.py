"""A provider on this machine: it keeps what it receives and behaves as a test says."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GOOD = b'{"choices":[]}'

Behaviour = Callable[[BaseHTTPRequestHandler, bytes], None]


class Loopback(ThreadingHTTPServer):
    """A server that keeps what it received and then behaves as told."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviour = behaviour
        self.bodies: list[bytes] = []
        self.requests: list[tuple[str, Message]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that breaks off is part of these tests."""


class Handler(BaseHTTPRequestHandler):
    server: Loopback
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.bodies.append(body)
        self.server.requests.append((self.path, self.headers))
        self.server.behaviour(self, body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


def answer(status: int = 200, body: bytes = GOOD, **headers: str) -> Behaviour:
    def behave(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return behave


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[Loopback]:
    with Loopback(behaviour) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """One behaviour per request, the last one for all that follow."""
    left = list(behaviours)
    return lambda handler, body: (left.pop(0) if len(left) > 1 else left[0])(handler, body)


def stream(*pieces: bytes, after_each: Callable[[bytes], object] = bytes, ended: bool = True) -> Behaviour:
    """An event stream in these pieces; `after_each` runs once a piece has left, and without `ended` it breaks off."""

    def behave(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in pieces:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            after_each(piece)
        if ended:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = not ended

    return behave


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
