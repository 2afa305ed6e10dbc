"""What a tool call does to files: a table of the tools agents bring, a rule by names and arguments for the others."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ....model.message import CallBlock
from ...text.parse_json import parse_json
from .effect import Edit, Effect, full
from .patches import BEGIN, patched
from .python_code import editor_effects, effects_of_code
from .shell import run_line

ToolKind = Literal[
    "read", "look", "write", "edit", "delete", "move", "copy", "patch", "editor", "shell", "python", "none"
]
Arguments = Mapping[str, Any]
NAMES: Mapping[ToolKind, str] = {
    "read": "read read_file readfile view view_file view_image open open_file file_read fs_read cat get_file show_file "
    "read_text_file read_media_file read_multiple_files read_many_files read_files notebook_read read_notebook "
    "get_file_content copilot_read_file readmanyfiles load_file",
    "look": "goto scroll_up scroll_down",
    "write": "write write_file create create_file new_file save_file file_write fs_write write_to_file "
    "create_new_file create_text_file overwrite_file",
    "edit": "edit edit_file multi_edit multiedit insert append str_replace replace replace_in_file search_replace "
    "search_and_replace replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_notebook_file "
    "notebook_edit update_file modify_file append_file insert_content insert_text file_edit smart_edit strreplace "
    "replace_file_content multi_replace_file_content find_and_replace edit_notebook undo_edit",
    "delete": "delete delete_file remove_file remove rm file_delete",
    "move": "move move_file rename rename_file mv",
    "copy": "copy_file cp",
    "patch": "apply_patch patch apply_diff applypatch",
    "editor": "str_replace_editor str_replace_based_edit_tool file_editor text_editor editor edit_anthropic",
    "shell": "bash shell local_shell exec_command execute_bash run_shell_command run_in_terminal terminal "
    "execute_command run_terminal_cmd run_terminal_command shell_command container_exec command run run_command cmd "
    "bash_exec execute_shell powershell exec local_shell_call developer_shell execute sh",
    "python": "execute_ipython_cell run_ipython ipython python execute_python run_python python_exec jupyter "
    "code_interpreter",
    "none": "grep glob ls list_dir list_directory find find_file search search_file search_dir todo_write todo_read "
    "web_fetch web_search task agent skill submit list_files directory_tree think finish message recall browse "
    "create_directory list_allowed_directories get_file_info search_files write_stdin update_plan read_lints "
    "view_plan ls_r codebase_search file_search grep_search semantic_search read_mcp_resource",
}
KINDS: Mapping[str, ToolKind] = {name: kind for kind, names in NAMES.items() for name in names.split()}
OWN_FILES = frozenset(("Bash", "execute_bash", "run_shell_command", "run_in_terminal", "run_terminal_cmd"))
"""Shell tools of agents that always have tools for files as well."""
PATHS = (
    "file_path", "path", "filepath", "filename", "file_name", "absolute_path", "target_file", "notebook_path", "file",
    "relative_path", "relative_workspace_path", "uri", "targetfile", "old_path", "source", "source_path", "from",
)  # fmt: skip
TARGETS = ("destination", "destination_path", "new_path", "to", "target", "target_path", "dest")
CONTENTS = ("content", "contents", "file_text", "text", "new_content", "code", "code_edit", "data", "filecontent")
OLD = ("old_string", "old_str", "old_text", "oldstring", "search", "to_replace", "original", "target_content")
NEW = ("new_string", "new_str", "new_text", "newstring", "replace", "replacement", "new_source", "replacement_content")
FOLDERS = ("cwd", "workdir", "working_directory", "directory", "dir_path", "working_dir")
LINES = ("command", "cmd", "script", "commands", "commandline", "command_line", "action")
PARTS = (
    "offset", "limit", "view_range", "start_line", "end_line", "line_number", "start", "end", "head", "tail", "lines",
    "range", "pages", "start_line_one_indexed", "end_line_one_indexed_inclusive", "startline", "endline",
)  # fmt: skip
SEARCHES = frozenset(
    ("grep", "glob", "search", "find", "list", "ls", "tree", "web", "fetch", "url", "dir", "directory")
)
VERBS: tuple[tuple[ToolKind, frozenset[str]], ...] = (
    ("delete", frozenset(("delete", "remove", "unlink"))),
    ("move", frozenset(("move", "rename"))),
    ("edit", frozenset(("edit", "update", "replace", "insert", "append", "modify", "patch"))),
    ("write", frozenset(("write", "create", "save", "overwrite"))),
    ("read", frozenset(("read", "view", "open", "cat", "show", "load"))),
)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
EDITOR_COMMANDS = frozenset(
    ("view", "create", "str_replace", "insert", "undo_edit", "edit", "append", "delete", "rename")
)


@dataclass(frozen=True, slots=True)
class Action:
    """What a call does: its effects, the command lines it runs, and whether it is a tool for files of its own."""

    effects: tuple[Effect, ...] = ()
    commands: tuple[str, ...] = ()
    line: str = ""
    files: bool = False
    folder: str = ""


def plain_name(name: str) -> str:
    """A tool's name in small letters with underscores, without the server or the namespace before it."""
    last = re.split(r"__|[./:]", name.strip())[-1] or name
    return CAMEL.sub("_", last).replace("-", "_").lower()


def kind_of(name: str, arguments: Arguments) -> ToolKind:
    """What kind of tool a call is for: by the table, else by the words of its name and by its arguments."""
    known = KINDS.get(plain_name(name)) or KINDS.get(name.replace(".", "_").lower())
    if known == "none" or ("owner" in arguments and "repo" in arguments):
        return "none"
    if known != "shell" and _text(arguments, ("command",)) in EDITOR_COMMANDS and _text(arguments, PATHS):
        return "editor"
    return known or _guessed(set(plain_name(name).split("_")), arguments)


def _guessed(words: set[str], arguments: Arguments) -> ToolKind:
    if words & SEARCHES:
        return "none"
    if not _text(arguments, PATHS):
        given = any(_text(arguments, (each,)) for each in LINES)
        return "shell" if given and words & {"shell", "bash", "command", "exec", "terminal", "run", "cmd"} else "none"
    if _text(arguments, OLD) is not None and _text(arguments, NEW) is not None:
        return "edit"
    return next((kind for kind, verbs in VERBS if words & verbs), "none")


def action_of(call: CallBlock, folder: str) -> Action:
    """What this call does to files, if it succeeds; `folder` is the working directory, "" where it is not known."""
    arguments = _arguments(call)
    kind = "shell" if _is_line(call.name, arguments) else kind_of(call.name, arguments)
    folder = full(_text(arguments, FOLDERS) or "", folder) if kind in ("shell", "python", "patch") else folder
    if kind == "shell":
        return _shell(arguments, folder)
    if kind == "python":
        code = _text(arguments, ("code", "source", "input", "script")) or ""
        return Action(_placed(effects_of_code(code), folder), files="file_editor(" in code)
    if kind == "none":
        return Action()
    return Action(_placed(_filed(kind, arguments), folder), files=True)


def _is_line(name: str, arguments: Arguments) -> bool:
    """Whether a call of a command named like a tool is written as a line: `open` with "open setup.py 20"."""
    line = _text(arguments, ("command", "action", "input"))
    return line is not None and line.split(maxsplit=1)[:1] == [name] and not _text(arguments, PATHS)


def _placed(effects: Sequence[Effect], folder: str) -> tuple[Effect, ...]:
    """The effects with full paths; those of an editor's open file wait for its answer."""
    return tuple(_full(effect, folder) for effect in effects)


def _full(effect: Effect, folder: str) -> Effect:
    if not effect.path:
        return effect
    return replace(effect, path=full(effect.path, folder), to=full(effect.to, folder) if effect.to else "")


def _arguments(call: CallBlock) -> Arguments:
    given = call.arguments
    if isinstance(given, str):
        given = _parsed(given)
    if not isinstance(given, Mapping):
        return {"input": call.written if call.written is not None else str(given or "")}
    inner = given.get("input")
    if len(given) == 1 and isinstance(inner, str) and inner.lstrip().startswith("{"):
        given = _parsed(inner)
    return _lowered(given)


def _lowered(given: Arguments) -> Arguments:
    """Arguments under names in small letters with underscores, as the tables have them."""
    return {CAMEL.sub("_", str(name)).lower(): value for name, value in given.items()}


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        value = parse_json(text)
    except ValueError:
        return {"input": text}
    return value if isinstance(value, dict) else {"input": text}


def _text(arguments: Arguments, names: Sequence[str]) -> str | None:
    return next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)


def line_of(call: CallBlock) -> str:
    """The command line that this call runs, as `action_of` has it; "" where it runs none."""
    arguments = _arguments(call)
    shell = _is_line(call.name, arguments) or kind_of(call.name, arguments) == "shell"
    line = _line(arguments) if shell else ""
    return line[0] if isinstance(line, list) else line


def _shell(arguments: Arguments, folder: str) -> Action:
    line = _line(arguments)
    if isinstance(line, list):
        effects = patched("\n".join(line[1:]))
        return Action(_placed(effects, folder), ("apply_patch",), "apply_patch", folder=folder)
    if not line:
        return Action()
    run = run_line(line, folder)
    return Action(tuple(run.effects), tuple(run.commands), line, folder=run.folder)


def _line(arguments: Arguments) -> str | list[str]:
    """The line of a shell's arguments; the words of one that is a patch."""
    line = next((arguments[name] for name in (*LINES, "input") if arguments.get(name)), "")
    if isinstance(line, Mapping):
        line = line.get("command") or ""
    if isinstance(line, list):
        words = [str(word) for word in line]
        if len(words) > 2 and words[1] in ("-c", "-lc", "-ic", "-lic"):
            return words[2]
        if words and words[0] in ("apply_patch", "applypatch"):
            return ["apply_patch", *words[1:]]
        return " ".join(_quoted(word) for word in words)
    return line if isinstance(line, str) else ""


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\"'\"'") + "'"


def _filed(kind: ToolKind, arguments: Arguments) -> tuple[Effect, ...]:
    if kind == "editor":
        return tuple(editor_effects({**arguments, "path": _text(arguments, PATHS)}))
    if kind == "patch":
        return _patch(arguments)
    if kind == "look":
        return (Effect("look", "", windowed=True),)
    if kind == "read":
        part = any(arguments.get(name) not in (None, "", 0, -1, []) for name in PARTS)
        return tuple(Effect("read", path, part=part) for path in _paths(arguments))
    path = _text(arguments, PATHS)
    return _changed(kind, path, arguments) if path and path.strip() else _without_path(kind, arguments)


def _changed(kind: ToolKind, path: str, arguments: Arguments) -> tuple[Effect, ...]:
    if kind == "write":
        return (Effect("write", path, content=_text(arguments, CONTENTS)),)
    if kind == "delete":
        return (Effect("delete", path, tree=bool(arguments.get("recursive"))),)
    if kind in ("move", "copy"):
        to = _text(arguments, TARGETS)
        return (Effect("move" if kind == "move" else "copy", path, to=to),) if to else ()
    if arguments.get("dry_run") is True or arguments.get("dryrun") is True:
        return ()
    return (Effect("edit", path, edits=tuple(_edits(arguments))),)


def _without_path(kind: ToolKind, arguments: Arguments) -> tuple[Effect, ...]:
    """An edit of the file that is open, or of the several files that are named one by one."""
    listed = [each for name in ("replacements", "edits", "files") for each in _listed(arguments, name)]
    lowered = [_lowered(each) for each in listed if isinstance(each, Mapping)]
    if any(_text(each, PATHS) for each in lowered):
        return tuple(effect for each in lowered if _text(each, PATHS) for effect in _filed(kind, each))
    if kind == "edit":
        return (Effect("edit", "", edits=tuple(_edits(arguments)), windowed=True),)
    return ()


def _listed(arguments: Arguments, name: str) -> list[Any]:
    value = arguments.get(name)
    return value if isinstance(value, list) else []


def _paths(arguments: Arguments) -> Iterator[str]:
    path = _text(arguments, PATHS)
    if path is not None:
        yield path
        return
    for each in (*_listed(arguments, "paths"), *_listed(arguments, "include"), *_listed(arguments, "files")):
        named = _text(each, PATHS) if isinstance(each, Mapping) else each
        if isinstance(named, str) and not set("*?") & set(named):
            yield named


def _edits(arguments: Arguments) -> Iterator[Edit]:
    several = [each for name in ("edits", "replacements", "replacement_chunks") for each in _listed(arguments, name)]
    for each in several or [arguments]:
        if not isinstance(each, Mapping):
            continue
        given = _lowered(each)
        old, new = _text(given, OLD), _text(given, NEW)
        new = new if new is not None else _text(given, CONTENTS)
        every = given.get("replace_all") is True or given.get("allow_multiple") is True
        if old is not None or new is not None:
            yield Edit(old or "", new or "", every)


def _patch(arguments: Arguments) -> tuple[Effect, ...]:
    given = _text(arguments, ("input", "patch", "diff", "patch_text", "content")) or ""
    found = patched(given)
    path = _text(arguments, PATHS)
    if not found and path and BEGIN not in given:
        return (Effect("edit", path),)
    return found
