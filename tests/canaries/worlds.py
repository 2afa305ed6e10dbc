"""One world that everybody shares, and for each of a few watchers one that holds nothing that it may not see."""

import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from callsheet import Host
from callsheet.edges.project.templates import write_template
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

from .actors import Actor
from .operations import Operation, done, replying

CHANCE = "callsheet.edges.stores.memories.token_hex"
"""Where records get their ids: ties are broken by them, so that worlds would differ by chance."""
_OF_A_WORLD = re.compile(r"b2:[0-9a-f]{32}|exported_at.+")
"""What differs between worlds for no one's sake: hashes under keys of chance, and the moment a command was typed."""


class Worlds:
    """Does every operation in the shared world, and in that of each watcher who may see what it leaves behind.

    A world is the same moment and the same chance everywhere, so that what an actor is given differs in nothing but
    what others left behind.
    """

    def __init__(self, folder: Path, postgres: bool, watchers: Iterable[Actor]) -> None:
        self._clock, self._number, self._drawn = FixedClock(), 0, 0
        self._opened = ExitStack()
        self._opened.enter_context(patch(CHANCE, self._chance))
        self.shared = self._world(folder / "shared", postgres)
        self.alone = {
            watcher: self._world(folder / f"{watcher.tenant}-{watcher.subject}", False) for watcher in watchers
        }

    def close(self) -> None:
        self._opened.close()

    def do(self, operation: Operation) -> str:
        """What came of it in the shared world. AssertionError where a canary shows, or where it differs."""
        self._number += 1
        self._clock.advance(1)
        came = self._done(self.shared, operation)
        assert not operation.actor.foreign(came), f"{operation} shows {operation.actor.foreign(came)}: {came}"
        for watcher, world in self.alone.items():
            if watcher == operation.actor:
                assert_same(came, self._done(world, operation), operation)
            elif operation.touches is not None and watcher.sees(operation.touches):
                self._done(world, operation)
        return came

    def _done(self, world: Host, operation: Operation) -> str:
        self._drawn = 0
        return done(world, operation)

    def _chance(self, size: int = 8) -> str:
        self._drawn += 1
        return f"{self._number:06x}{self._drawn:0{2 * size - 6}x}"

    def _world(self, folder: Path, postgres: bool) -> Host:
        write_template("support", folder)
        settings = folder / "callsheet.toml"
        text = settings.read_text(encoding="utf-8").replace(
            'allowlist = ["check_api_key_status", ', 'allowlist = ["memory", "check_api_key_status", '
        )
        if postgres:
            text = text.replace("[store]\n", '[store]\nkind = "postgresql"\n')
        settings.write_text(f'{text}\n[memory]\nwrite = "rules"\n', encoding="utf-8")
        overrides = Overrides(
            model=ScriptedModel(SCRIPTED, replying), clock=self._clock, token=lambda: f"{self._number:08x}"
        )
        return self._opened.enter_context(open_host(folder, overrides=overrides))


def assert_same(shared: str, alone: str, operation: Operation) -> None:
    """The first line that differs tells more than two long texts."""
    lines: Sequence[tuple[str, str]] = list(
        zip(_OF_A_WORLD.sub("", shared).splitlines(), _OF_A_WORLD.sub("", alone).splitlines(), strict=False)
    )
    for ours, theirs in lines:
        assert ours == theirs, f"{operation}\nshared: {ours}\nalone:  {theirs}"
    assert len(shared.splitlines()) == len(alone.splitlines()), f"{operation}\nshared: {shared}\nalone: {alone}"
