"""A port of this machine for a server of ours: opened before the server starts, so that its address can be told."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import UsageError

HOST = "127.0.0.1"


@contextmanager
def listened(port: int, path: str) -> Iterator[tuple[socket.socket, str]]:
    """A socket that this machine alone reaches, and the address of what is served there below a path.

    Port 0 takes a free one. UsageError where the port is taken.
    """
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        raise UsageError(f"port {port} cannot be listened to ({error.strerror}); choose another, or 0") from error
    with listening:
        yield listening, f"http://{HOST}:{listening.getsockname()[1]}{path}"
