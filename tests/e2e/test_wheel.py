"""The wheel, installed into an environment of its own: what a user gets is complete."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from ..source import PACKAGE, ROOT

pytestmark = pytest.mark.e2e


def build(folder: Path) -> Path:
    """The wheel of this checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_wheel_holds_every_file_of_the_package_and_the_licence(tmp_path: Path) -> None:
    names = set(zipfile.ZipFile(build(tmp_path)).namelist())
    files = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and not {"__pycache__", ".callsheet", ".ruff_cache", ".mypy_cache"} & {*path.parts}
    }
    assert files <= names
    assert any(name.endswith("/LICENSE") for name in names) and any(name.endswith("/NOTICE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "bench/", "docs/"))]


def test_an_installed_callsheet_writes_and_lints_a_project_outside_the_checkout(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    target = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    with zipfile.ZipFile(build(tmp_path)) as wheel:
        wheel.extractall(target)
    # The dependencies come from this environment, so that the test downloads nothing.
    (target / "dependencies.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))

    def callsheet(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = (
            "import sys; from callsheet.cli import main; import callsheet; assert 'env' in callsheet.__file__; main()"
        )
        python = tmp_path / "env" / "bin" / "python"
        return subprocess.run([python, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True)

    assert (made := callsheet("init", "demo", "--template", "support")).returncode == 0, made.stderr
    assert (tmp_path / "demo" / "callsheet.toml").is_file()
    assert (found := callsheet("-C", "demo", "lint", "--json")).returncode == 0, found.stdout + found.stderr
