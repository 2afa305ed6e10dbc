"""Skills as items: a line each in the stable prefix, and the instructions of one once they are needed (D6).

A reviewed skill instructs, as the project's own sections do: a person approved every file of it. What its files say
when they are read, and what its scripts print, are observations, and as untrusted as any.
"""

from collections.abc import Iterator, Sequence

from ...model.item import ContextItem
from ...model.request import SHARED
from ...model.skill import Skill
from ...model.tool import Observation
from ..skills.tools import LOAD
from ..text.foreign import neutral

_BODY = "skill-instructions/"


def skill_item(skill: Skill) -> ContextItem:
    """The first level: what the skill is called, and what it is for."""
    told = neutral(" ".join(skill.description.split()))
    return _item(skill, f"skill/{skill.name}", "", f'<skill name="{skill.name}">{told}</skill>')


def body_item(skill: Skill) -> ContextItem:
    """The second level: the instructions, whole."""
    text = f'<skill-instructions name="{skill.name}">\n{neutral(skill.body)}\n</skill-instructions>'
    return _item(skill, f"{_BODY}{skill.name}", "/SKILL.md", text)


def _item(skill: Skill, item_id: str, file: str, text: str) -> ContextItem:
    return ContextItem(
        item_id=item_id,
        kind="instruction",
        source=f"skills/{skill.name}{file}",
        trust="trusted",
        version=_version(skill),
        tenant_id=SHARED,
        scope=skill.scope,
        text=text,
        required=True,
    )


def is_body(item: ContextItem) -> bool:
    """Whether an item is the instructions of a skill: they change with the request, and stand behind the prefix."""
    return item.item_id.startswith(_BODY)


def loaded(observations: Sequence[Observation]) -> tuple[str, ...]:
    """The names of the skills whose instructions this run loaded, in order."""
    named = (str(each.result.get("skill", "")) for each in observations if each.tool == LOAD and each.status == "ok")
    return tuple(dict.fromkeys(named))


def loaded_items(skills: Sequence[Skill], observations: Sequence[Observation]) -> Iterator[ContextItem]:
    """The instructions of the skills that this run loaded, of those that it may use."""
    names = loaded(observations)
    return (body_item(each) for each in skills if each.name in names)


def _version(skill: Skill) -> str:
    main = next((each for each in skill.files if each.path.lower() == "skill.md"), None)
    return main.sha256[:12] if main is not None else ""
