"""The commands of a shell that do something to files, each as one function."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .effect import Effect, full
from .patches import BEGIN, patched
from .python_code import editor_effects, effects_of_code
from .shell_words import Word

Words = Sequence[Word]
SHELLS = {"bash", "sh", "zsh", "dash", "ksh"}
VIEWERS = {"cat", "nl", "less", "more", "bat", "tac", "head", "tail"}
TAKING = {
    "head": "nc", "tail": "nc", "nl": "bdfhilnsvw", "less": "", "cat": "", "more": "", "tac": "s", "bat": "rl",
}  # fmt: skip
"""Options of one letter that take a value, by command."""
WINDOW = {"open", "create", "goto", "scroll_up", "scroll_down"}
"""Commands of an editor that runs in the shell (SWE-agent's); they count where its answer shows the file."""


@dataclass(slots=True)
class Run:
    """One command line as it runs: its folder, what it did so far, and lists that a loop goes over."""

    folder: str
    effects: list[Effect] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    loops: dict[str, list[Word]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    depth: int = 0

    def do(self, effect: Effect) -> None:
        """Notes an effect; paths are written in full as of the folder the command runs in."""
        path = full(effect.path, self.folder) if effect.path else ""
        to = full(effect.to, self.folder) if effect.to else ""
        if to and effect.to.endswith("/"):
            to += "/"
        self.effects.append(replace(effect, path=path, to=to, shell=True))


def act(run: Run, name: str, words: Words, text: str | None, shown: bool) -> None:
    """Notes what one command does; `text` is what it is given to read, `shown` that its output reaches the agent."""
    if name in VIEWERS:
        _view(run, name, words, shown)
    elif handler := COMMANDS.get(name):
        handler(run, words, text)
    elif name == "sed":
        _sed(run, words, shown)
    elif name.startswith("python") or name in ("pypy", "pypy3"):
        _python(run, words, text)
    elif name in WINDOW:
        _window(run, name, words)


def _files(words: Words, taking: str = "") -> list[str]:
    """The words that name files: neither options nor options' values, nor what only a shell could tell."""
    files, skip, plain = [], False, False
    for word in words:
        if skip:
            skip = False
        elif word.text == "--" and not plain:
            plain = True
        elif word.text.startswith("-") and word.text != "-" and not plain:
            skip = len(word.text) == 2 and word.text[1] in taking
        elif word.text not in ("", "-") and not word.dynamic:
            files.append(word.text)
    return files


def _view(run: Run, name: str, words: Words, shown: bool) -> None:
    if shown and not any(word.text in ("-f", "-F") for word in words if name == "tail"):
        for path in _files(words, TAKING[name]):
            if not path.startswith("/dev/") and not path.startswith("+"):
                run.do(Effect("read", path, part=name in ("head", "tail")))


def _sed(run: Run, words: Words, shown: bool) -> None:
    texts = [word.text for word in words]
    place = any(
        each == "--in-place" or each.startswith("--in-place=") or re.match(r"-[nErsz]*i", each) for each in texts
    )
    scripts, files, skip = 0, [], False
    for at, word in enumerate(words):
        text = word.text
        if skip or (place and text == "" and at and texts[at - 1] == "-i"):
            skip = False
        elif text in ("-e", "-f", "--expression", "--file"):
            skip, scripts = True, scripts + 1
        elif text.startswith("-") and len(text) > 1:
            scripts += text.startswith(("--expression=", "--file="))
        elif not scripts:
            scripts = 1
        elif text and not word.dynamic:
            files.append(text)
    for path in files:
        if place:
            run.do(Effect("edit", path))
        elif shown:
            run.do(Effect("read", path, part="-n" in texts))


def _python(run: Run, words: Words, text: str | None) -> None:
    texts = [word.text for word in words]
    code = (
        texts[texts.index("-c") + 1] if "-c" in texts[:-1] else text if not _files(words) or "-" in texts[:1] else None
    )
    if code and "-m" not in texts:
        for effect in effects_of_code(code):
            run.do(effect)


def _window(run: Run, name: str, words: Words) -> None:
    paths = _files(words)
    if name in ("open", "create") and paths:
        run.effects.append(Effect("read" if name == "open" else "write", paths[0], windowed=True, part=True))
    elif name in ("goto", "scroll_up", "scroll_down"):
        run.effects.append(Effect("look", "", windowed=True))


def _cd(run: Run, words: Words, text: str | None) -> None:
    paths = _files(words)
    if paths:
        run.folder = full(paths[0], run.folder)


def _remove(run: Run, words: Words, text: str | None) -> None:
    tree = any(word.text.startswith("-") and set("rR") & set(word.text) for word in words)
    for path in _files(words):
        run.do(Effect("delete", path, tree=tree))


def _move(kind: str) -> Callable[[Run, Words, str | None], None]:
    def act(run: Run, words: Words, text: str | None) -> None:
        paths = _files(words, "tSm")
        target = [words[at + 1].text for at, word in enumerate(words[:-1]) if word.text == "-t"]
        to, sources = (target[0] + "/", paths) if target else (paths[-1] if paths else "", paths[:-1])
        tree = any(set("rRa") & set(word.text) for word in words if re.fullmatch(r"-\w+", word.text))
        for path in sources:
            into = to if len(sources) == 1 or to.endswith("/") else to + "/"
            run.do(Effect("move" if kind == "move" else "copy", path, to=into, tree=tree))

    return act


def _touch(run: Run, words: Words, text: str | None) -> None:
    for path in _files(words, "drt"):
        run.do(Effect("edit", path, content="", append=True))


def _tee(run: Run, words: Words, text: str | None) -> None:
    append = any(word.text in ("-a", "--append") for word in words)
    for path in _files(words):
        if not path.startswith("/dev/"):
            authored = text is not None
            run.do(Effect("edit" if append else "write", path, content=text, append=append, authored=authored))


def _patch(run: Run, words: Words, text: str | None) -> None:
    strip = next((int(each[1]) for word in words if (each := re.match(r"-p(\d)$", word.text))), 1)
    named = _files(words, "pidBDFgorVYz")[:1]
    for effect in patched(text or "", strip):
        run.do(replace(effect, path=named[0]) if named and effect.kind == "edit" else effect)
    if not text and named:
        run.do(Effect("edit", named[0]))


def _git(run: Run, words: Words, text: str | None) -> None:
    folder, rest = run.folder, list(words)
    while rest and rest[0].text.startswith("-"):
        if rest[0].text == "-C" and len(rest) > 1:
            run.folder = full(rest[1].text, run.folder)
        rest = rest[2:] if rest[0].text in ("-C", "-c") else rest[1:]
    verb = rest[0].text if rest else ""
    if verb == "apply":
        _patch(run, [], text)
    elif verb == "rm" and not any(word.text == "--cached" for word in rest):
        _remove(run, rest[1:], text)
    elif verb == "mv":
        _move("move")(run, rest[1:], text)
    elif verb in ("checkout", "restore") and not any(word.text == "--staged" for word in rest):
        _restored(run, verb, rest[1:])
    run.folder = folder


def _restored(run: Run, verb: str, words: list[Word]) -> None:
    marks = [at for at, word in enumerate(words) if word.text == "--"]
    if marks or verb == "restore":
        for path in _files(words[marks[0] + 1 :] if marks else words, "s"):
            if path != ".":
                run.do(Effect("edit", path, authored=False))


def _perl(run: Run, words: Words, text: str | None) -> None:
    """A change in place; other Perl is not looked into."""
    options = [word.text for word in words if word.text.startswith("-")]
    if any(re.match(r"-[0-9a-zA-Z]*i", option) for option in options):
        rest = list(words)
        for at, word in enumerate(words[:-1]):
            if re.fullmatch(r"-\w*[eE]", word.text):
                rest.remove(words[at + 1])
        for path in _files(rest):
            run.do(Effect("edit", path))


def _download(flag: str) -> Callable[[Run, Words, str | None], None]:
    def act(run: Run, words: Words, text: str | None) -> None:
        for at, word in enumerate(words[:-1]):
            if word.text == flag and not words[at + 1].dynamic and words[at + 1].text not in ("-", "/dev/null"):
                run.do(Effect("write", words[at + 1].text, authored=False))

    return act


def _apply_patch(run: Run, words: Words, text: str | None) -> None:
    given = next((word.text for word in words if BEGIN in word.text), text)
    for effect in patched(given or ""):
        run.do(effect)


def _editor(run: Run, words: Words, text: str | None) -> None:
    """`str_replace_editor` as a command: the command, the path, then options with their values."""
    plain = [word.text for word in words]
    options = {plain[at][2:]: plain[at + 1] for at in range(2, len(plain) - 1) if plain[at].startswith("--")}
    if len(plain) > 1:
        given: Mapping[str, str] = {"command": plain[0], "path": plain[1], **options}
        for effect in editor_effects(dict(given)):
            run.effects.append(replace(effect, path=full(effect.path, run.folder)))


COMMANDS: Mapping[str, Callable[[Run, Words, str | None], None]] = {
    "cd": _cd, "pushd": _cd, "rm": _remove, "unlink": _remove, "mv": _move("move"), "cp": _move("copy"),
    "install": _move("copy"), "touch": _touch, "tee": _tee, "patch": _patch, "git": _git, "perl": _perl,
    "curl": _download("-o"), "wget": _download("-O"), "apply_patch": _apply_patch, "applypatch": _apply_patch,
    "str_replace_editor": _editor, "edit_anthropic": _editor,
}  # fmt: skip
