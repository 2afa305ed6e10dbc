"""`doctor`: whether this machine can run the project, one line per check with the way out."""

import shlex
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..core.diagnose.preload import PreloadAdvice
from ..edges.project.folder import read_project
from ..edges.project.settings import FILE, read_settings
from ..edges.providers.weights import DEFAULT, find
from ..errors import CallsheetError
from ..host.host import open_host, surroundings, weights_cache
from ..host.knowledge.indexes import Condition
from ..host.knowledge.preload import NEWEST, preload_advice
from ..host.stores import described
from ..model.grants import AUDIT
from .group import Settings, common
from .output import emit, fail_unless, table
from .report.words import several

FREE_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One finding about the machine: whether it is well, and what was seen or what to do."""

    name: str
    ok: bool
    detail: str


@click.command(short_help="Check whether this machine can run the project.")
@common
@click.pass_obj
def doctor(settings: Settings) -> None:
    """Check Python, SQLite, the project folder and its model, and the disk; exit with 1 where one is not well.

    Without a project the embedded model is checked. No model is called. The indexes of the session's tenant and of all
    are read whole.
    """
    found = list(checks(settings.project, settings.data, settings.session))
    emit(settings, {"checks": found, "ok": all(check.ok for check in found)}, print_checks)
    fail_unless(all(check.ok for check in found))


def checks(project: Path, data: Path | None = None, session: Path | None = None) -> Iterator[Check]:
    """Every check, in the order in which they should be mended."""
    yield Check("python", sys.version_info >= (3, 11), sys.version.split()[0])
    yield tried("sqlite full text", full_text)
    if (project / FILE).exists():
        folder = tried(
            "project folder", lambda: several(len(read_project(project).settings.decisions), "decision kind")
        )
        yield folder
        if folder.ok:  # nothing else can be asked of a project that cannot be read
            yield tried("store", lambda: stored(project, data))
            yield tried("model", lambda: answering(project))
            yield tried("indexes", lambda: searchable(project, data, session))
            yield tried("embedder", lambda: embedding(project, data, session))
            yield tried("preload or fetch", lambda: knowledge_use(project, data, session))
    else:
        yield tried("package xllamacpp", lambda: installed("xllamacpp"))
        yield tried("package quicktok", lambda: installed("quicktok-v1"))
        yield tried("model weights", lambda: str(find(DEFAULT, weights_cache())))
        yield Check("project folder", True, f"none: {project} has no {FILE}; run `callsheet init`, or name one with -C")
    free = shutil.disk_usage(project if project.exists() else Path()).free
    yield Check("free disk", free >= FREE_BYTES, f"{free / 1e9:.1f} GB")


def tried(name: str, look: Callable[[], str]) -> Check:
    """A check that is well when `look` gives a detail, and not when it raises one of our errors."""
    try:
        return Check(name, True, look())
    except (CallsheetError, sqlite3.Error, OSError) as error:
        return Check(name, False, " ".join(str(error).split()))


def stored(project: Path, data: Path | None) -> str:
    """The store and what binds it; one of our errors where the engine could not or must not work in it."""
    settings = read_settings(project).kept_in(data)
    return described(settings, surroundings().keys)


def answering(project: Path) -> str:
    """The model that would answer; one of our errors where its limits, its key, its package or its file are missing."""
    with open_host(project) as host:
        name, provider = host.ready(), host.folder.settings.model.provider
        return f"{name} ({provider}{'' if provider == 'embedded' else '; not called'})"


def searchable(project: Path, data: Path | None, session: Path | None) -> str:
    """That the knowledge of the session's tenant and of all can be searched; CallsheetError with the command if not."""
    with open_host(project, data) as host:
        if session is None and host.folder.settings.session is None:
            return "not looked at: no session says whose"
        broken = [each for each in host.knowledge.conditions(host.session(session)) if each.fault]
    if broken:
        raise CallsheetError("; ".join(f"{each.fault.rpartition('; ')[0]}; {mending(each)}" for each in broken))
    return "can be searched"


def mending(broken: Condition) -> str:
    """The command that begins an index anew, with the folders and files it was made from where that can be read."""
    command = shlex.join(["callsheet", "ingest", "--anew", *(["--shared"] if broken.shared else []), *broken.folders])
    rest = "" if broken.folders or broken.shared else " with each PATH that it was made from"
    given = ", and have the application hand its documents over again" if broken.given else ""
    return f"run `{command}`{rest}{given}"


def embedding(project: Path, data: Path | None, session: Path | None) -> str:
    """The embedder, and what lacks its vectors; one of our errors where its key, its package or file is missing."""
    with open_host(project, data) as host:
        named = host.folder.settings.knowledge.embedder
        if not named:
            return "none: knowledge is searched by its words alone"
        if session is None and host.folder.settings.session is None:
            return named
        ctx = host.session(session)
        lacking = {"": host.lacking_vectors(ctx), " --shared": host.lacking_vectors(ctx, shared=True)}
    missing = [
        f"{several(number, 'section')} without a vector: run `callsheet ingest --embed{option}`"
        for option, number in lacking.items()
        if number
    ]
    return "; ".join([named, *missing])


def knowledge_use(project: Path, data: Path | None, session: Path | None) -> str:
    """Whether the document that answers most requests of the session's tenant should be preloaded, in one line."""
    with open_host(project, data) as host:
        if host.folder.settings.store.kind == "sqlite" and not host.data_dir.exists():
            return "no request is on record yet"
        # Whoever runs commands on the project's folder owns its records; what is told of them is counts.
        ctx = host.session(session)
        owner = replace(ctx, grants=(*ctx.grants, AUDIT))
        return said(preload_advice(host.folder, host.policy.model, host.recent(owner, NEWEST)))


def said(advice: PreloadAdvice) -> str:
    """An advice as a person reads it: what to do, why, what each way costs, and what a preload has grown to."""
    words = f"{advice.advice}: {advice.why}"
    if advice.preload_cost is not None and advice.fetch_cost is not None:
        words += f" ({advice.tokens} tokens; per 1,000 requests {advice.preload_cost:.3g} preloaded"
        words += f", {advice.fetch_cost:.3g} fetched)"
    if advice.growing:
        grown = f"{advice.sizes[0]} to {advice.sizes[-1]} tokens in {len(advice.sizes) - 1} steps"
        words += (
            f"; warning: the preload grew with every change, {grown}: move exceptions into documents that are fetched"
        )
    return words


def full_text() -> str:
    """SQLite's version; sqlite3.Error where it has no FTS5."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("create virtual table probe using fts5(text)")
    finally:
        connection.close()
    return sqlite3.sqlite_version


def installed(package: str) -> str:
    """A package's version; CallsheetError that says how to get it."""
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise CallsheetError(
            "not installed; install callsheet[embedded], or set another provider in callsheet.toml"
        ) from error


def print_checks(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per check."""
    table(
        console,
        ("check", "well", "detail"),
        [[check["name"], check["ok"], check["detail"]] for check in document["checks"]],
    )
