"""Project templates: folders of package data, written out by `callsheet init`."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from ...errors import ProjectError, UnknownName

TEMPLATES = ("support", "empty")
_GENERATED = ("__pycache__", ".callsheet")


def write_template(name: str, folder: Path) -> tuple[Path, ...]:
    """The files written, in path order; nothing is written where one of them exists already."""
    if name not in TEMPLATES:
        raise UnknownName(f"there is no template {name!r}; choose one of: {', '.join(TEMPLATES)}")
    root = files("callsheet").joinpath("templates", name)
    contents = {folder / path: data for path, data in sorted(_files(root, Path()))}
    existing = [path for path in contents if path.exists()]
    if existing:
        names = ", ".join(path.relative_to(folder).as_posix() for path in existing)
        raise ProjectError(
            f"{folder} already has {names}; nothing was written: name another folder, or move these away"
        )
    try:
        for path, data in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
    except OSError as error:
        raise ProjectError(
            f"cannot write to {folder} ({error.strerror}); name a folder that can be written to"
        ) from error
    return tuple(contents)


def _files(entry: Traversable, path: Path) -> list[tuple[Path, bytes]]:
    found: list[tuple[Path, bytes]] = []
    for child in entry.iterdir():
        if child.name in _GENERATED:
            continue
        below = path / child.name
        found += _files(child, below) if child.is_dir() else [(below, child.read_bytes())]
    return found
