"""What a piece of Python run by an agent does to files, as far as its text shows it."""

import ast
from collections.abc import Iterator
from typing import Any

from .effect import Edit, Effect

READS = {"read_text", "read_bytes"}
WRITES = {"write_text", "write_bytes"}
REMOVES = {"remove", "unlink", "rmtree"}
MOVES = {"rename": "move", "replace": "move", "move": "move", "copy": "copy", "copyfile": "copy", "copy2": "copy"}
SKILLS = {
    "open_file": "read", "create_file": "write", "edit_file_by_replace": "edit", "edit_file_by_line": "edit",
    "insert_content_at_line": "edit", "append_file": "edit", "edit_file": "edit",
}  # fmt: skip
"""An agent's helper functions in its Python shell (OpenHands')."""
LONGEST = 200_000


def effects_of_code(code: str) -> tuple[Effect, ...]:
    """The files that this code opens, writes and removes by a name that its text gives; nothing where it is no Python.

    What a run reads is not shown to the agent, and so counts as no read, apart from an editor's own functions.
    """
    if len(code) > LONGEST:
        return ()
    lines = [line for line in code.splitlines() if not line.lstrip().startswith(("%", "!"))]
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    visitor = _Visitor()
    try:
        visitor.visit(tree)
    except RecursionError:
        return ()
    return tuple(visitor.effects)


class _Visitor(ast.NodeVisitor):
    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self._names: dict[str, Any] = {}
        self._files: dict[str, str] = {}

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._names[target.id] = self._value(node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        arguments = [self._value(each) for each in node.args]
        named = {each.arg: self._value(each.value) for each in node.keywords if each.arg}
        for each in node.keywords:
            if each.arg is None and isinstance(spread := self._value(each.value), dict):
                named.update(spread)
        self.effects.extend(self._effects(name, node, arguments, named))

    def _effects(self, name: str, node: ast.Call, arguments: list[Any], named: dict[str, Any]) -> Iterator[Effect]:
        first = arguments[0] if arguments else None
        owner = self._value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if name == "open":
            yield from self._open(owner if owner is not None else first, arguments, named, owner is not None)
        elif name in WRITES and isinstance(owner, str):
            yield Effect("write", owner, content=first if isinstance(first, str) else None)
        elif name in REMOVES and isinstance(path := owner if name == "unlink" and owner else first, str):
            yield Effect("delete", path, tree=name == "rmtree")
        elif name in MOVES and _is_module(node.func) and len(arguments) > 1 and _texts(arguments[:2]):
            yield Effect("move" if MOVES[name] == "move" else "copy", arguments[0], to=arguments[1])
        elif name == "file_editor":
            yield from editor_effects(named)
        elif name in SKILLS:
            path = named.get("file_name") or named.get("filename") or named.get("path") or first
            if isinstance(path, str):
                yield _skill(name, path, named)

    def _open(self, path: Any, arguments: list[Any], named: dict[str, Any], method: bool) -> Iterator[Effect]:
        place = 0 if method else 1
        mode = named.get("mode") or (arguments[place] if len(arguments) > place else "r")
        if isinstance(path, str) and isinstance(mode, str) and set(mode) & set("wax+"):
            yield Effect("write" if "w" in mode or "x" in mode else "edit", path, append="a" in mode)

    def _value(self, node: ast.AST) -> Any:
        """A node's value where the text gives it: a literal, a name bound to one, a `Path` of one."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Call) and _called(node) in ("Path", "PurePath", "str") and len(node.args) == 1:
            return self._value(node.args[0])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = self._value(node.left), self._value(node.right)
            return f"{left}/{right}" if isinstance(left, str) and isinstance(right, str) else None
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None


def editor_effects(arguments: dict[str, Any]) -> Iterator[Effect]:
    """What an editor tool with a `command` does (`str_replace_editor`, `file_editor`)."""
    path, command = arguments.get("path"), str(arguments.get("command"))
    if not isinstance(path, str):
        return
    new = arguments.get("new_str") or arguments.get("insert_text") or ""
    if command == "view":
        yield Effect("read", path, part=bool(arguments.get("view_range")))
    elif command == "create":
        text = arguments.get("file_text")
        yield Effect("write", path, content=text if isinstance(text, str) else None)
    elif command in ("str_replace", "replace"):
        yield Effect("edit", path, edits=(Edit(str(arguments.get("old_str") or ""), str(new)),))
    elif command == "insert":
        yield Effect("edit", path, edits=(Edit("", str(new)),))
    elif command in ("undo_edit", "edit", "append"):
        yield Effect("edit", path)
    elif command == "delete":
        yield Effect("delete", path)
    elif command == "rename" and isinstance(arguments.get("new_path"), str):
        yield Effect("move", path, to=arguments["new_path"])


def _skill(name: str, path: str, named: dict[str, Any]) -> Effect:
    if SKILLS[name] == "read":
        return Effect("read", path, part=True)
    if SKILLS[name] == "write":
        return Effect("write", path)
    old, new = named.get("to_replace"), named.get("new_content") or named.get("content")
    if isinstance(old, str) and isinstance(new, str):
        return Effect("edit", path, edits=(Edit(old, new),))
    return Effect("edit", path)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else str(getattr(node.func, "id", ""))


def _is_module(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and getattr(function.value, "id", "") in ("os", "shutil")


def _texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
