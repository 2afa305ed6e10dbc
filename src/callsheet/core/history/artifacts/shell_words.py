"""A command line of a POSIX shell taken apart: words without their quotes, operators, redirections, heredocs.

It is read as a shell reads it, but nothing is run: what only a running shell knows ($(…), globs, unset variables)
leaves a word `dynamic`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
REDIRECTIONS = ("&>>", "<<<", "<<-", "&>", ">>", ">|", ">&", "<<", "<&", "<>", ">", "<")
CLOSING = {"(": ")", "{": "}", "`": "`"}
HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)([\w.-]+)\1[^\n]*\n")


@dataclass(slots=True)
class Word:
    """A word, its quotes taken off; `variable` is the name where it is one variable and nothing else."""

    text: str = ""
    dynamic: bool = False
    variable: str = ""


@dataclass(slots=True)
class Redirection:
    """Where a stream goes: the operator, the file or the other stream, and a heredoc's text."""

    operator: str
    target: Word
    stream: str = ""
    body: str | None = None


@dataclass(slots=True)
class Command:
    """A simple command: its words, its redirections, and the operator that stands before and after it."""

    words: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    before: str = ""
    after: str = ""


class Lexer:
    """Reads one command line; `variables` are those whose values are known."""

    def __init__(self, line: str, variables: Mapping[str, str] | None = None) -> None:
        self._line = line
        self._at = 0
        self._variables = dict(variables or {})
        self._waiting: list[Redirection] = []

    def commands(self) -> list[Command]:
        """The simple commands in order; what stands after an unclosed quote belongs to the last word."""
        found, command = [], Command()
        while (token := self._token()) is not None:
            if isinstance(token, Word):
                if command.words or not self._assigns(token):
                    command.words.append(token)
            elif isinstance(token, Redirection):
                command.redirections.append(token)
            else:
                command.after = token
                found.append(command)
                command = Command(before=token)
        return [*found, command]

    def _assigns(self, word: Word) -> bool:
        name, equals, value = word.text.partition("=")
        if not equals or not name.isidentifier():
            return False
        if word.dynamic:
            self._variables.pop(name, None)
        else:
            self._variables[name] = value
        return True

    def _token(self) -> Word | Redirection | str | None:
        line = self._line
        while self._at < len(line):
            if line[self._at] in " \t\r":
                self._at += 1
            elif line.startswith("\\\n", self._at):
                self._at += 2
            elif line[self._at] == "#":
                end = line.find("\n", self._at)
                self._at = len(line) if end < 0 else end
            else:
                break
        if self._at >= len(line):
            return None
        return self._redirection() or self._operator() or self._word()

    def _operator(self) -> str:
        for operator in OPERATORS:
            if self._line.startswith(operator, self._at):
                self._at += len(operator)
                if operator == "\n":
                    self._heredocs()
                return operator
        return ""

    def _redirection(self) -> Redirection | None:
        start = self._at
        while self._at < len(self._line) and self._line[self._at].isdigit():
            self._at += 1
        for operator in REDIRECTIONS:
            if self._line.startswith(operator, self._at):
                stream = self._line[start : self._at]
                self._at += len(operator)
                return self._aimed(operator, stream)
        self._at = start
        return None

    def _aimed(self, operator: str, stream: str) -> Redirection:
        while self._line[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        redirection = Redirection(operator, self._word(), stream)
        if operator in ("<<", "<<-"):
            self._waiting.append(redirection)
        elif operator == "<<<":
            redirection.body = redirection.target.text + "\n"
        return redirection

    def _heredocs(self) -> None:
        for redirection in self._waiting:
            lines: list[str] = []
            while self._at < len(self._line):
                end = self._line.find("\n", self._at)
                end = len(self._line) if end < 0 else end
                line = self._line[self._at : end]
                self._at = end + 1
                line = line.lstrip("\t") if redirection.operator == "<<-" else line
                if line.rstrip("\r") == redirection.target.text:
                    break
                lines.append(line + "\n")
            redirection.body = "".join(lines)
        self._waiting.clear()

    def _word(self) -> Word:
        line, start, word = self._line, self._at, Word()
        pieces: list[str] = []
        while self._at < len(line) and line[self._at] not in " \t\r\n;|&()<>":
            pieces.append(self._piece(word))
        if self._at == start and self._at < len(line) and line[self._at] not in "\n;|&()<>":
            self._at += 1
        word.text = "".join(pieces)
        if line[start : start + 1] in ("$", '"'):
            bare = line[start : self._at].strip('"').removeprefix("$").strip("{}")
            word.variable = bare if bare.isidentifier() and "$" in line[start : start + 2] else ""
        return word

    def _piece(self, word: Word) -> str:
        letter = self._line[self._at]
        self._at += 1
        if letter == "'":
            return self._until("'")
        if letter == '"':
            return self._quoted(word)
        if letter == "\\":
            self._at += 1
            return self._line[self._at - 1 : self._at].replace("\n", "")
        if letter == "$" and self._line[self._at : self._at + 1] == "'":
            self._at += 1
            return self._until("'").replace("\\n", "\n").replace("\\t", "\t")
        if letter in "$`":
            return self._expanded(letter, word)
        word.dynamic = word.dynamic or letter in "*?["
        return letter

    def _until(self, closing: str) -> str:
        end = self._line.find(closing, self._at)
        end = len(self._line) if end < 0 else end
        text = self._line[self._at : end]
        self._at = end + 1
        return text

    def _quoted(self, word: Word) -> str:
        pieces: list[str] = []
        while self._at < len(self._line):
            letter = self._line[self._at]
            self._at += 1
            if letter == '"':
                break
            if letter == "\\" and self._line[self._at : self._at + 1] in ('"', "\\", "$", "`", "\n"):
                pieces.append(self._line[self._at].replace("\n", ""))
                self._at += 1
            elif letter in "$`":
                pieces.append(self._expanded(letter, word))
            else:
                pieces.append(letter)
        return "".join(pieces)

    def _expanded(self, letter: str, word: Word) -> str:
        """A variable's value where it is known; what a shell would have to run is left out."""
        opening = letter if letter == "`" else self._line[self._at : self._at + 1]
        if letter == "$" and opening not in ("(", "{"):
            return self._variable(word)
        self._at += letter == "$"
        inner = self._enclosed(opening)
        if opening == "{" and inner in self._variables:
            return self._variables[inner]
        word.dynamic = True
        return ""

    def _enclosed(self, opening: str) -> str:
        start, depth, closing = self._at, 1, CLOSING[opening]
        while self._at < len(self._line) and depth:
            letter = self._line[self._at]
            self._at += 1
            if letter == "\\":
                self._at += 1
            elif opening == "(" and letter in "'\"":
                self._until(letter)
            elif opening == "(" and letter == "<" and (heredoc := HEREDOC.match(self._line, self._at - 1)):
                end = re.compile(rf"^\t*{re.escape(heredoc[2])}\r?$", re.MULTILINE).search(self._line, heredoc.end())
                self._at = end.end() if end else len(self._line)
            elif letter == closing:
                depth -= 1
            elif letter == opening:
                depth += 1
        return self._line[start : self._at - 1]

    def _variable(self, word: Word) -> str:
        start = self._at
        while self._at < len(self._line) and (self._line[self._at].isalnum() or self._line[self._at] == "_"):
            self._at += 1
        name = self._line[start : self._at]
        if not name:
            self._at += self._line[self._at : self._at + 1] in ("?", "!", "@", "*", "#", "$")
            word.dynamic = word.dynamic or self._at > start
            return "" if self._at > start else "$"
        if name not in self._variables:
            word.dynamic = True
        return self._variables.get(name, "")
