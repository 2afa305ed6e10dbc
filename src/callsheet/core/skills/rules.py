"""What a scan looks for in a skill: one small function per rule, and the one list of their names (I1, I4).

Nothing here is a wall: words of an order can be chosen so that no list knows them. What holds is that no skill is used
that a person has not approved, that its scripts run in a sandbox, and that it grants nothing.
"""

import re
from collections.abc import Callable, Iterator

from ...model.skill import ScanOutcome, SkillFile, SkillFinding, SkillFolder
from ..gate.directive import directives
from ..text.hidden import cleaned, shown
from ..text.redact import redact
from .form import Written
from .references import inside, links, told_to_read

SCAN_RULES: dict[str, tuple[ScanOutcome, str]] = {
    "skill-format": ("refuse", "the folder is no skill by the specification"),
    "name-differs-from-directory": ("refuse", "the skill is not called what its folder is called"),
    "too-large": ("refuse", "a file, the instructions or the whole are larger than a skill may be"),
    "path-outside-skill": ("refuse", "a link, a path that is to be read, or a symbolic link leads out of the skill"),
    "hidden-characters": ("hold", "the text holds characters that nobody sees"),
    "description-instructs": ("hold", "the description orders something, and it stands in every request"),
    "overreach": ("hold", "the text would hide something from the person, pass over them or the rules, or obey others"),
    "network-egress": ("hold", "a command, code or an order of the skill reaches into the network"),
    "credentials": ("hold", "the skill reaches for where credentials are kept"),
    "secret-in-skill": ("hold", "a file holds something that looks like a secret"),
    "scripts": ("hold", "the skill brings code that would be run"),
    "unreadable-file": ("hold", "a file can be neither read as text nor is it a picture, a font or a document"),
    "changed-since-approval": ("hold", "a file is not what it was when the skill was approved"),
    "name-collision": ("report", "another skill of the name comes first, and this one is not used"),
    "near-identical-description": ("report", "nobody could choose between two skills by their descriptions"),
    "link-inside-skill": ("report", "a symbolic link leads to another file of the skill, and is not followed"),
    "long-instructions": ("report", "the instructions are longer than the specification advises"),
}
"""Every rule of a scan with what follows from it; `docs/rules.md` documents each of them."""

LARGEST_MAIN, LARGEST_FILE, LARGEST_SKILL, MOST_FILES = 128 * 1024, 8 * 2**20, 32 * 2**20, 1_000
LINES, CHARACTERS = 500, 20_000
"""What the specification advises for the instructions: 500 lines, and 5,000 tokens, which are about so many letters."""

Rule = Callable[[SkillFolder, Written], Iterator[SkillFinding]]


def found(rule: str, why: str, path: str = "") -> SkillFinding:
    """A finding by a rule, with what follows from it."""
    return SkillFinding(SCAN_RULES[rule][0], rule, why, path)


def sizes(folder: SkillFolder) -> Iterator[SkillFinding]:
    """What is too large to be a skill; asked before anything of it is read."""
    for each in folder.files:
        limit = LARGEST_MAIN if each is folder.main else LARGEST_FILE
        if each.size > limit:
            yield found("too-large", f"{each.size:,} bytes; {limit:,} are allowed", each.path)
    whole = sum(each.size for each in folder.files)
    if whole > LARGEST_SKILL or len(folder.files) > MOST_FILES:
        why = f"{len(folder.files):,} files of {whole:,} bytes; {MOST_FILES:,} of {LARGEST_SKILL:,} are allowed"
        yield found("too-large", why)


def outside(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Links, paths to be read, and symbolic links that lead out of the skill."""
    for each in folder.files:
        base = each.path.rpartition("/")[0]
        if each.link is not None:
            leads = inside(each.link, base)
            rule = "path-outside-skill" if leads is None else "link-inside-skill"
            yield found(rule, f"a symbolic link to {each.link!r}", each.path)
        if each.text is None or not each.path.lower().endswith((".md", ".markdown", ".txt", ".html")):
            continue
        for path in (*links(each.text), *told_to_read(each.text)):
            if inside(path, base) is None:
                yield found("path-outside-skill", f"it points to {path!r}", each.path)


_HIDDEN = {
    "hidden-characters": "hidden-characters",
    "bidi-control": "hidden-characters",
    "control-sequence": "hidden-characters",
    "role-token": "overreach",
}
"""What a scan says of what is hidden; an image from elsewhere is judged by what its address says."""


def hidden(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Characters that nobody sees, and marks by which a text would pose as another speaker."""
    for each in _texts(folder):
        for one in cleaned(each.text or "").findings:
            if one.rule in _HIDDEN:
                yield found(_HIDDEN[one.rule], f"{one.rule}: {_shortened(one.removed)!r}", each.path)
    for each in folder.files:
        if "\n" in each.path or shown(each.path) != each.path:
            yield found("hidden-characters", f"the name of a file holds them: {each.path!r}", each.path)


_PRESSES = re.compile(
    r"(?i)\b(?:must|always|never)\b.{0,40}\b(?:use|call|load|invoke|run|read|send|include|follow|obey|prefer)\b"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|rule|previous|prior|above|other|system)"
    r"|\binstead of (?:any|all|every|the) other\b|\bbefore (?:(?:using|calling|running) )?(?:any|all|every)"
    r"|\b(?:do not|don'?t|never)\s+(?:tell|mention|inform|ask|show|skip)\b|\bsystem prompt\b|</?[a-z_-]{2,20}>"
)

_SAYS_WHEN = re.compile(r"(?i)\byou (?:should|may|can) use (?:this|it|the)(?: skill)? (?:when|whenever|if|for|to)\b")


def description(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """A description that orders something: it says what a skill is for and when, and stands in every request."""
    said = _SAYS_WHEN.sub("use this when", str(written.keys.get("description", "")))
    pressed = _PRESSES.search(said) or _OVERREACH.search(said)
    ordered = next(iter(directives(said)), pressed.group() if pressed is not None else "")
    if ordered and folder.main is not None:
        yield found("description-instructs", f"the description says {_shortened(ordered)!r}", folder.main.path)


_PERSON = r"(?:the\s+|your\s+)?(?:users?|human|person|customers?|people|anyone|anybody|operator|developer)\b"
_OVERREACH = re.compile(
    rf"(?i)\b(?:do not|don'?t|never|without)\s+(?:tell|mention|inform|notify|alert|show|reveal|disclose|warn|ask)\w*"
    rf"[^.\n]{{0,40}}\b{_PERSON}"
    r"|\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|earlier|above|system|safety|other|all)"
    r"\b[^.\n]{0,20}\b(?:instruction|rule|prompt|guideline|polic)"
    r"|\b(?:bypass|disable|turn off|skip|circumvent)\b[^.\n]{0,30}\b(?:approval|confirmation|permission|safety|sandbox|"
    r"security|guard|gate)"
    r"|\b(?:without|no need for)\b[^.\n]{0,20}\b(?:approval|confirmation|consent)\b"
    r"|\b(?:follow|obey|execute|do)\b[^.\n]{0,30}\b(?:whatever|any|all|the)\b[^.\n]{0,20}\binstructions?\b[^.\n]{0,30}"
    r"\b(?:page|site|server|url|response|file there)\b"
    r"|--dangerously-[\w-]+|\bsecretly\b|\bsilently\s+(?:send|upload|post|copy|delete|run|add)"
)


def overreach(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Words that would go behind a person's back, pass over the rules, or take orders from elsewhere."""
    yield from _matches(folder, "overreach", _OVERREACH)


_ADDRESS = r"(?:https?|ftp|wss?)://|[\w.+-]+@[\w-]+\.\w"
_EGRESS = re.compile(
    r"(?im)(?:^[ \t]*|[`$|;&(]\s*|\b(?:run|use|execute|with|via)\s+`?)(?:sudo\s+)?"
    r"(?:curl|wget|ncat|nc|telnet|ftp|sftp|scp|ssh|rsync)"
    r"\s+[^\s`|.,;)][^`\n]*"
    r"|['\"]\s*(?:curl|wget)\s+(?:-\w|https?:|\$)"
    r"|\b(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b|/dev/(?:tcp|udp)/"
    r"|\b(?:requests|httpx\d?|aiohttp|urllib3?)\s*\.\s*(?:get|post|put|patch|delete|request|urlopen|Request|Session|"
    r"ClientSession|AsyncClient|Client|PoolManager)\s*\("
    r"|\burlopen\s*\(|\bsocket\s*\.\s*(?:socket|create_connection)\s*\(|\bsmtplib\b|\bftplib\b|\bparamiko\b"
    r"|\bhttp\.client\b|\b(?:await\s+|=\s*|\.\s*)?fetch\s*\(\s*[`'\"]|\bXMLHttpRequest\b|\bnew\s+WebSocket\b"
    r"|\baxios\b\s*[.(]|\bnet\.(?:connect|createConnection)\b|\bhttps?\.(?:get|request)\s*\("
    r"|!\[[^\]]*\]\(\s*<?https?://[^)]*(?:\?|\{|\$)"  # a picture whose address carries something is a message
    rf"|\b(?:sends?|uploads?|posts?|submits?|forwards?|e-?mails?|transmits?|exfiltrates?|reports?|copy|copies|push(?:es)?)\b[^.\n]{{0,60}}\b(?:to|at)\b"
    rf"[^.\n]{{0,40}}(?:{_ADDRESS})"
    r"|\b(?:fetch(?:es)?|downloads?|loads?|retrieves?|pulls?)\b[^.\n]{0,60}(?:https?|ftp)://|\b(?:open|visit|get)\b.{0,12}(?:https?|ftp)://"
    r"|\bwebhooks?\.(?:site|slack|discord)|hooks\.slack\.com|\b(?:requestbin|ngrok|pipedream|interactsh|burpcollaborator)\b"
    r"|\bgit\s+(?:push|clone|remote\s+add)\s+\S|\b(?:npx|uvx|pipx\s+run)\s+(?:-\S+\s+)*[\w@]|\bgh\s+(?:gist|api)\b"
)


def egress(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Commands, code and orders that reach into the network; a link that is only there to be clicked is none."""
    yield from _matches(folder, "network-egress", _EGRESS)


_CREDENTIALS = re.compile(
    r"(?:~|\$HOME|/root|/home/\w+|%USERPROFILE%)[/\\]\.(?:ssh|aws|gnupg|netrc|kube|docker|npmrc|pypirc|config/gcloud|"
    r"git-credentials)|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow|sudoers)\b"
    r"|\b(?:cat|read|open|type|less|source|head|copy|grep)\b[^\n]{0,30}[\s`'\"(/]\.env\b"
    r"|\bprintenv\b|\bos\.environ\b(?!\.get\(|\[)|\bjson\.dumps\(\s*dict\(os\.environ|\bfind-(?:generic|internet)-password\b"
    r"|\bgh\s+auth\s+token\b|\bprint-credentials\b|\b169\.254\.169\.254\b|\bwallet\.dat\b|\bLogin Data\b"
)


def credentials(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Places where keys and passwords lie."""
    yield from _matches(folder, "credentials", _CREDENTIALS)


def secrets(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Secrets that an author left in a file."""
    for each in _texts(folder):
        if redact(each.text or "") != each.text:
            yield found("secret-in-skill", "it holds what looks like a secret", each.path)


_CODE = frozenset(
    """py pyw sh bash zsh fish ps1 bat cmd js mjs cjs ts mts tsx jsx rb pl php lua go rs java jar class r jl scpt
    applescript vbs wsf exe dll so dylib bin com app msi deb rpm whl egg pyc wasm""".split()
)
_SHOWN = frozenset(
    """png jpg jpeg gif webp bmp ico tif tiff pdf ttf otf woff woff2 eot mp3 mp4 wav ogg webm mov docx xlsx pptx odt
    ods odp""".split()
)
_AT_LOADING = re.compile(r"(?m)!`[^`\n]+`")


def scripts(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Code that would be run, and commands that some clients run while they load the instructions."""
    for each in folder.files:
        if is_script(each):
            yield found("scripts", "code that would be run", each.path)
    if folder.main is not None and (command := _AT_LOADING.search(folder.main.text or "")) is not None:
        yield found("scripts", f"{_shortened(command.group())} is run by some clients at loading", folder.main.path)


def is_script(file: SkillFile) -> bool:
    """Whether a file is code: by its ending, or by its first line."""
    return _ending(file) in _CODE or (file.text is not None and file.text.startswith("#!"))


def unreadable(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Files that nobody can review by reading them."""
    for each in folder.files:
        if each.text is None and each.link is None and _ending(each) not in _SHOWN | _CODE:
            yield found("unreadable-file", "neither text nor a picture, a font or a document", each.path)


def long(folder: SkillFolder, written: Written) -> Iterator[SkillFinding]:
    """Instructions that are longer than advised."""
    lines, characters = written.body.count("\n") + 1, len(written.body)
    if folder.main is not None and (lines > LINES or characters > CHARACTERS):
        why = f"{lines:,} lines and {characters:,} characters; {LINES:,} and {CHARACTERS:,} are advised"
        yield found("long-instructions", why, folder.main.path)


RULES_OF_A_SKILL: tuple[Rule, ...] = (
    outside,
    hidden,
    description,
    overreach,
    egress,
    credentials,
    secrets,
    scripts,
    unreadable,
    long,
)
"""In the order of the harm that each would prevent, where several lead to the same outcome."""


def _texts(folder: SkillFolder) -> Iterator[SkillFile]:
    return (each for each in folder.files if each.text is not None)


def _matches(folder: SkillFolder, rule: str, pattern: re.Pattern[str]) -> Iterator[SkillFinding]:
    for each in _texts(folder):
        if (match := pattern.search(each.text or "")) is not None:
            line = (each.text or "").count("\n", 0, match.start()) + 1
            yield found(rule, f"line {line}: {_shortened(match.group())!r}", each.path)


def _ending(file: SkillFile) -> str:
    return file.path.rpartition("/")[2].rpartition(".")[2].lower()


def _shortened(words: str) -> str:
    one = " ".join(words.split())
    return one if len(one) <= 80 else f"{one[:79]}…"
