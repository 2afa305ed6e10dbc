"""What in a conversation may be worth asking to be kept: the person's own statements about itself, by rule (C6).

Only user turns are read, and of them only what is the person's own: no block that the engine rendered (a memory that
was recalled is never extracted again), no quoted mail, page or code. A sentence counts in which somebody says what they
are, have, do, like or wish, in English, German or Polish. Too much may be found: the write policy judges every find.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from ...model.memory import MemoryKind, Statement
from ...model.message import Message, TextBlock
from ..diagnose.patterns.poisoning.orders import embedded, without
from ..text.foreign import TAGS
from .days import relative_day
from .relation import relation_of

LONGEST = 600
"""Characters of a sentence; a longer one is a text that was handed on."""
_RENDERED = re.compile(rf"<({'|'.join(TAGS)})\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"^\s*(```|~~~).*?(?:^\s*\1|\Z)", re.DOTALL | re.MULTILINE)
_NOT_THEIRS = re.compile(
    r"^\s*(?:>|\||(?:fact|hypothesis)\b[^:\n]{0,40}:|(?:from|to|subject|von|an|betreff|od|do"
    r"|temat):\s).*$",
    re.I | re.M,
)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”“)]*\s+(?=[\"'“„(]?[^\W\d_a-zäöüßąćęłńóśźż]|[\"'“„(]?i\b)|\n+")
_OWN = re.compile(
    r"""(?ix)
    \b(?:i|i['’](?:m|ve|d|ll)|my|mine|me|myself|we|we['’](?:re|ve|ll)|our|ours)\b
    | \b(?:ich|mein(?:e[nmrs]?)?|mir|mich|wir|uns|unser(?:e[nmrs]?)?)\b
    | \b(?:mój|moja|moje|mojego|mojej|moich|mnie|mi|jestem|mam|mieszkam|pracuję|lubię|wolę|nie\s+lubię
    |nazywam\s+się|używam|nasz[ae]?
        |jesteśmy|mamy|zawsze|nigdy|\w{2,}(?:łem|łam|liśmy|łyśmy|uję|ujemy))\b
    """
)
_WISH = re.compile(
    r"""(?ix)^\W*(?:(?:please|and|so|but|also|bitte|und|proszę|i)\W+)*
    (?:always|never|call\s+me|address\s+me|from\s+now\s+on|in\s+(?:the\s+)?future|don['’]t\s+(?:ever|call|use
      |send)|do\s+not\s+(?:ever|call|use|send)
      |immer|niemals|nie|nenn(?:e|t|en\s+sie)?\s+mich|ab\s+(?:jetzt|sofort)|künftig
      |antworte\s+(?:mir\s+)?(?:immer|stets)
      |zawsze|nigdy|mów\s+mi|zwracaj\s+się|od\s+teraz|odpowiadaj\s+(?:mi\s+)?zawsze)\b
    | \b(?:prefers?|would\s+rather|bevorzug\w*|lieber|wol[ęei]\w*|preferuj\w*)\b"""
)
_TALK = re.compile(
    r"""(?ix)^\W*(?:(?:oh|ok|okay|well|yeah|yes|no|so|and|but|wow|hey|hi|thanks|thank\s+you|hm+|ah|ja|nein|also
      |na|und|aber|tak|nie|no|więc)\W+)*
    (?:i\s+(?:see|think\s+so|guess(?:\s+so)?|agree|understand|know|mean|hope\s+(?:so|you|that|it)|wonder
      |believe\s+so|bet|don['’]t\s+(?:know|think\s+so)|was\s+wondering
        |appreciate|apologi[sz]e|can['’]t\s+(?:wait|believe|imagine)|couldn['’]t\s+agree|totally|completely
        |really\s+appreciate|hear\s+you|look\s+forward)
      |i['’]m\s+(?:sorry|glad\s+(?:you|to|that)|happy\s+to\s+hear|not\s+sure|curious|wondering|so\s+(?:happy
      |glad|proud)\s+(?:for|of|you))
      |i['’]d\s+(?:love|like)\s+to\s+(?:hear|know|see|learn\s+more)|let\s+me\b|(?:that|it|this)\s+(?:reminds
      |makes|sounds|means|inspires)\b
      |ich\s+(?:verstehe|weiß\s+nicht|glaube\s+(?:schon|nicht)|hoffe|frage\s+mich|stimme)|rozumiem|nie\s+wiem
      |mam\s+nadzieję|zgadzam\s+się|zastanawiam\s+się)\b"""
)
_EVENT = re.compile(
    r"""(?ix)\b(?:went|bought|visited|met|started|finished|moved|joined|signed\s+up|attended|ran|won|lost|got
      |received|adopted|graduated|married
      |celebrated|tried|saw|made|built|painted|wrote|planned|ordered|returned|paid|took|had|was|were|did
      |war|waren|ging|kaufte|besuchte|habe?n?\s+\w+\s*\w*\s*ge\w+|bin\s+\w*\s*ge\w+|\w{2,}(?:łem|łam|liśmy
      |łyśmy))\b"""
)


def statements(messages: Sequence[Message]) -> tuple[Statement, ...]:
    """The person's own statements in the user turns of a conversation, in their order, each once."""
    found = (
        _statement(each) for message in messages if message.role == "user" for each in own_sentences(_text(message))
    )
    return tuple(dict.fromkeys(each for each in found if each is not None))


def own_sentences(text: str) -> Iterator[str]:
    """The sentences of a user turn that are the person's own words."""
    text = _NOT_THEIRS.sub("\n", _FENCED.sub("\n", _RENDERED.sub("\n", text)))
    for each in _SENTENCE.split(without(text, embedded(text))):
        if 0 < len(each.strip()) <= LONGEST:
            yield each.strip()


def _text(message: Message) -> str:
    return "\n".join(str(block.text) for block in message.blocks if isinstance(block, TextBlock))


def _statement(sentence: str) -> Statement | None:
    wish = _WISH.search(sentence) is not None
    if _TALK.match(sentence) or not (wish or _OWN.search(sentence)):
        return None
    kind: MemoryKind = "procedural" if wish else "semantic"
    if not wish and relative_day(sentence) and _EVENT.search(sentence):
        kind = "episodic"
    return Statement(sentence, kind=kind, relation=relation_of(sentence))


def verified(lines: Iterable[str], messages: Sequence[Message]) -> tuple[Statement, ...]:
    """What a model listed, one statement a line: the person's own word where it stands in a user turn as it is.

    Everything else is the model's inference, whoever it says that it comes from (C4).
    """
    said = {
        _plain(each): each for message in messages if message.role == "user" for each in own_sentences(_text(message))
    }
    listed = (line.strip().lstrip("-*•–0123456789.) ").strip("\"'“”„") for line in lines)
    return tuple(
        dict.fromkeys(
            Statement(said[_plain(line)], relation=relation_of(line))
            if _plain(line) in said
            else Statement(line, "model")
            for line in listed
            if line
        )
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!\"'“”„")
