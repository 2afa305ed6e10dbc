"""The ring's arrows point inwards, and the inner rings stay pure: read from the syntax tree of every module."""

import ast
import sys
from collections.abc import Iterator

import pytest

from .source import ROOT, Module, modules

ORDER = {
    "errors": 0,
    "model": 0,
    "conditions": 0,
    "core": 1,
    "ports": 2,
    "drive": 2,
    "edges": 3,
    "host": 4,
    "lab": 5,
    "cli": 6,
    "server": 6,
}
HOST_RING = ("gate", "history", "transcripts")
OUTER_RING = ("testing", "pytest_plugin", "__main__")
IMPURE = {
    "asyncio", "concurrent", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
PARSERS = {"urllib.parse"}  # of an impure package, and pure
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "expandvars"}
CLOCKS = {"now", "utcnow", "today"}
ALL = modules()
NAMES = {module.name for module in ALL}
INNER = [module for module in ALL if module.name.split(".")[1:2] in (["model"], ["core"])]


def ring(name: str) -> int:
    """The ring a module of the package lies in; the front door itself is as far out as the command line."""
    top = name.split(".")[1] if "." in name else ""
    if top in HOST_RING:
        return ORDER["host"]
    return 7 if top in OUTER_RING else ORDER[top or "cli"]


def edge(name: str) -> str | None:
    """The edge a module belongs to: edges/X or edges/X.py."""
    parts = name.split(".")
    return parts[2] if parts[1:2] == ["edges"] and len(parts) > 2 else None


def each(chosen: list[Module] | tuple[Module, ...]) -> pytest.MarkDecorator:
    """One test per module, named after it."""
    return pytest.mark.parametrize("module", chosen, ids=lambda module: module.name)


@each(ALL)
def test_a_module_never_imports_from_a_ring_outside_its_own(module: Module) -> None:
    outwards = [
        f"{module.name}:{item.line} reaches outwards to {item.target}"
        for item in module.imports
        if item.target in NAMES and ring(item.target) > ring(module.name)
    ]
    assert not outwards


@each([module for module in ALL if edge(module.name)])
def test_an_edge_never_imports_another_edge(module: Module) -> None:
    others = {item.target for item in module.imports if edge(item.target) not in (None, edge(module.name))}
    assert not others


@each(ALL)
def test_no_internal_import_hides_in_a_function(module: Module) -> None:
    hidden = [
        (item.target, item.line) for item in module.imports if item.in_function and item.target.startswith("callsheet")
    ]
    assert not hidden


@each([module for module in ALL if module.name.startswith("callsheet.model")])
def test_the_model_imports_the_standard_library_alone(module: Module) -> None:
    foreign = {
        item.target
        for item in module.imports
        if item.target.split(".")[0] not in sys.stdlib_module_names and not item.target.startswith("callsheet.model")
    }
    assert not foreign


@each(INNER)
def test_model_and_core_have_no_clock_chance_files_sockets_logs_or_threads(module: Module) -> None:
    targets = {item.target for item in module.imports} - PARSERS
    assert not {target for target in targets if target.split(".")[0] in IMPURE}


@each(INNER)
def test_model_and_core_are_synchronous_and_never_print_open_or_read_the_clock(module: Module) -> None:
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            found.append(f"{module.name}:{node.lineno} is asynchronous")
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("open", "print", "input")
        ):
            found.append(f"{module.name}:{node.lineno} calls {node.func.id}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            found.append(f"{module.name}:{node.lineno} reads the clock by .{node.func.attr}()")
    assert not found


@each(ALL)
def test_only_the_host_reads_the_environment(module: Module) -> None:
    if module.name == "callsheet.host.host":
        return
    reads = [
        node.lineno
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT)
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and {a.name for a in node.names} & ENVIRONMENT | {"*"}
        )
    ]
    assert not reads, f"{module.name} reads the environment in lines {reads}"


def at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is loaded; those of classes, conditions and tries among them."""
    for node in body:
        yield node
        as_program = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        if isinstance(node, ast.ClassDef | ast.If | ast.Try) and not as_program:
            for part in ("body", "orelse", "finalbody"):
                yield from at_import(getattr(node, part, []))


@each(ALL)
def test_importing_a_module_does_no_work(module: Module) -> None:
    work = [
        node.lineno
        for node in at_import(module.tree.body)
        if isinstance(node, ast.For | ast.While | ast.With | ast.Delete)
        or (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant))
    ]
    assert not work, f"{module.name} acts while it is imported, in lines {work}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {m.name: sorted({i.target for i in m.imports if i.target in NAMES and not i.for_types_only}) for m in ALL}
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, "a circle: " + " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for target in graph[name]:
                if target != name:
                    walk(target, (*path, name))
            done.add(name)

    for start in graph:
        walk(start, ())


MOCKS = {"mock", "unittest", "unittest.mock", "pytest_mock"}
PATCHES = {"monkeypatch", "mocker", "MonkeyPatch"}


def test_tests_of_the_core_and_the_drivers_use_no_mocks_and_patch_nothing() -> None:
    """Values in, values out: what needs a stand-in to be tested does not belong into the core."""
    found = []
    for path in sorted(path for room in ("core", "drive") for path in (ROOT / "tests" / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                targets = {alias.name for alias in node.names} | {getattr(node, "module", "")}
                if targets & MOCKS:
                    found.append(f"{path.name}:{node.lineno} imports {targets & MOCKS}")
            elif {getattr(node, name, None) for name in ("arg", "attr", "id")} & PATCHES:
                found.append(f"{path.name}:{getattr(node, 'lineno', 0)} patches")
            elif isinstance(node, ast.Constant) and node.value in ("monkeypatch", "mocker"):
                found.append(f"{path.name}:{node.lineno} asks for {node.value}")
    assert not found
