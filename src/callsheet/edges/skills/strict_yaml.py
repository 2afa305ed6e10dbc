"""YAML without its traps, as the reference reader of skills takes it: scalars are text, nothing has two spellings."""

from typing import Any

import yaml

_UGLY = {
    yaml.FlowMappingStartToken: "a mapping in braces",
    yaml.FlowSequenceStartToken: "a list in brackets",
    yaml.AnchorToken: "an anchor",
    yaml.AliasToken: "an alias",
    yaml.TagToken: "a tag",
    yaml.DirectiveToken: "a directive",
    yaml.DocumentStartToken: "a second document",
}

_NO_BREAKS = {0x85: "\ue085", 0x2028: "\ue028", 0x2029: "\ue029"}
"""What ends a line in YAML 1.1, which the reader here knows, and is a character like others in 1.2."""
_AS_WRITTEN = {ord(stood_in): chr(written) for written, stood_in in _NO_BREAKS.items()}


def load(text: str) -> Any:
    """The value that a YAML text spells, every scalar a string; ValueError names what strict YAML does not have.

    That is what StrictYAML leaves out: flow style, anchors, aliases, tags, and a key twice.
    """
    text = text.translate(_NO_BREAKS)
    try:
        for token in yaml.scan(text, Loader=yaml.BaseLoader):
            if (what := _UGLY.get(type(token))) is not None:
                raise ValueError(f"line {token.start_mark.line + 1} has {what}, which strict YAML does not know")
        return _value(yaml.compose(text, Loader=yaml.BaseLoader))
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def _value(node: yaml.Node | None) -> Any:
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ValueError(f"line {key.start_mark.line + 1} has a key that is no plain text")
            if key.value == "<<" and key.style is None:
                raise ValueError(f"line {key.start_mark.line + 1} has a merge, which strict YAML does not know")
            name = _value(key)
            if name in found:
                raise ValueError(f"line {key.start_mark.line + 1} has the key {name!r} again")
            found[name] = _value(value)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(each) for each in node.value]
    return node.value.translate(_AS_WRITTEN) if node is not None else ""
