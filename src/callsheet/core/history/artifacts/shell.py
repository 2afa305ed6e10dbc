"""What a command line does to files: shown, written, changed in place, copied, moved, removed; by its text alone."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from .effect import Effect
from .shell_commands import SHELLS, VIEWERS, Run, Words, act
from .shell_words import Command, Lexer, Word

KEYWORDS = {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "time", "fi", "done", "exec", "eval"}
WRAPPERS = {"sudo", "env", "nohup", "nice", "command", "builtin", "stdbuf", "timeout", "unbuffer", "doas"}
WINDOW_EDIT = re.compile(r"\s*(?:edit|insert|append)(?:\s|$)")
"""What a windowed editor takes as a command (SWE-agent's); the text after it is no command line."""
DEEPEST = 4
LONGEST = 400_000


def run_line(line: str, folder: str = "", depth: int = 0) -> Run:
    """What a command line does, were it to succeed; the right side of a `||` is taken not to run."""
    run = Run(folder, depth=depth)
    if len(line) > LONGEST or depth > DEEPEST:
        return run
    if WINDOW_EDIT.match(line):
        run.effects.append(Effect("edit", "", windowed=True))
        return run
    pipe: list[Command] = []
    for command in Lexer(line).commands():
        _folders(run, command)
        pipe.append(command)
        if command.after not in ("|", "|&"):
            if pipe[0].before != "||":
                _pipeline(run, pipe)
            pipe = []
    return run


def _folders(run: Run, command: Command) -> None:
    if command.before == "(":
        run.folders.append(run.folder)
    elif command.before == ")" and run.folders:
        run.folder = run.folders.pop()


def _pipeline(run: Run, pipe: list[Command]) -> None:
    text: str | None = None
    for place, command in enumerate(pipe):
        words = _stripped(run, command)
        if not words and not command.redirections:
            continue
        heredoc = next((each.body for each in command.redirections if each.body is not None), None)
        text = heredoc if heredoc is not None else text
        shown = all(_shows(later) for later in pipe[place + 1 :])
        name = posixpath.basename(words[0].text) if words else ""
        if name:
            run.commands.append(" ".join(word.text for word in words))
        _redirected(run, command, words, text)
        out = any(each.operator.startswith((">", "&>")) and each.stream in ("", "1") for each in command.redirections)
        words += [each.target for each in command.redirections if each.operator == "<" and name in VIEWERS]
        if name in SHELLS:
            _shell(run, words[1:], text)
        else:
            act(run, name, words[1:], text, shown and not out)
        text = _printed(name, words[1:], text)


def _shows(command: Command) -> bool:
    words = command.words
    name = posixpath.basename(words[0].text) if words else ""
    return name in VIEWERS or (name == "sed" and any(word.text == "-n" for word in words))


def _stripped(run: Run, command: Command) -> list[Word]:
    """A command's words without keywords and wrappers, with a loop's variable put in."""
    words = list(command.words)
    if words and words[0].text == "for" and len(words) > 2 and words[2].text == "in":
        run.loops[words[1].text] = words[3:]
        return []
    while words and (words[0].text in KEYWORDS or words[0].text in WRAPPERS):
        wrapper = words.pop(0).text
        while words and wrapper in WRAPPERS and (words[0].text.startswith("-") or _is_setting(words[0].text)):
            words.pop(0)
        if wrapper == "timeout" and words:
            words.pop(0)
    put: list[Word] = []
    for word in words:
        put.extend(run.loops.get(word.variable, (word,)))
    return put


def _is_setting(text: str) -> bool:
    return text.partition("=")[0].isidentifier() and "=" in text


def _printed(name: str, words: Words, text: str | None) -> str | None:
    """What a command prints, where its text says so: `echo`, `printf` without formats, `cat` of a heredoc."""
    if name == "cat" and not words:
        return text
    if any(word.dynamic for word in words):
        return None
    if name == "echo":
        plain = [word.text for word in words]
        options = [each for each in plain[:1] if each in ("-n", "-e", "-ne", "-en")]
        said = " ".join(plain[len(options) :])
        return None if "\\" in said else said + ("" if options and "n" in options[0] else "\n")
    if name == "printf" and len(words) == 1 and not set("%\\") & set(words[0].text):
        return words[0].text
    return None


def _redirected(run: Run, command: Command, words: Words, text: str | None) -> None:
    for each in command.redirections:
        target = each.target
        if each.operator not in (">", ">>", ">|", "&>", "&>>") or target.dynamic or not target.text:
            continue
        if target.text.startswith("/dev/") or (each.stream not in ("", "1") and not each.operator.startswith("&")):
            continue
        name = words[0].text if words else ""
        alone = not command.words and command.before != ")"
        printed = "" if alone else _printed(name, words[1:], text)
        authored = alone or name in ("echo", "printf") or (name == "cat" and text is not None)
        if name == "cat" and len(words) == 2 and not words[1].dynamic and each.operator == ">":
            run.do(Effect("copy", words[1].text, to=target.text))
        elif ">>" in each.operator:
            run.do(Effect("edit", target.text, content=printed, append=True, authored=authored))
        else:
            run.do(Effect("write", target.text, content=printed, authored=authored))


def _shell(run: Run, words: Words, text: str | None) -> None:
    flagged = [at for at, word in enumerate(words) if re.fullmatch(r"-\w*c", word.text)]
    line = words[flagged[0] + 1].text if flagged and flagged[0] + 1 < len(words) else text if not words else None
    if line:
        inner = run_line(line, run.folder, run.depth + 1)
        run.effects.extend(inner.effects)
        run.commands.extend(inner.commands)


def files_named(commands: Sequence[str]) -> Iterator[str]:
    """The words of commands that look like files: what a test run was about."""
    for command in commands:
        for word in command.split(" ")[1:]:
            name = word.partition("::")[0]
            if "." in posixpath.basename(name).strip(".") and not word.startswith("-"):
                yield name.partition(":")[0] if re.search(r":\d+$", name) else name
