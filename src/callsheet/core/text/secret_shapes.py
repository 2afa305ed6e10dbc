"""The shapes of secrets, each with what a text that holds one has at the least (I1, I2).

A placeholder (`YOUR_API_KEY_HERE`, `<password>`, `********`) and a look-up (`${KEY}`, `os.environ["KEY"]`) are none.
"""

import re
from collections.abc import Callable

_START = r"(?:(?<![^\W_])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2}))"
"""Where a secret may begin: after no letter or digit, unless they are an escape of JSON's or of an address."""
_STARTED = r"(?:(?<![^\W_].)|(?<=\\[bfnrt].)|(?<=%[0-9A-Fa-f]{2}.))"
"""The same after the first letter: what begins with letters of its own is searched for by them, quickly."""
_DIGIT = r"(?=[\w-]{0,99}\d)"  # names of things have none, keys nearly always do
_NO_FILLING = r"(?![\w-]{0,40}?(?:x{8}|X{8}|0{8}))"
_QUOTE = r"\\{0,8}[\"']?"
_VALUE = r"(?:[^\s\"',;\\]|\\{1,8}/)"
_BEARER = r"(?:[\w.~+/-]|\\{1,8}/)"
_NAMES = {
    "p": r"(?:gpassword|assword|asswd|asswort|rivate[_-]?token)",
    "h": r"asło",
    "s": r"ecret(?:[_-]?access)?(?:[_-]?key(?:[_-]?base)?)?",
    "a": r"(?:pi[_-]?key|(?:ccess|uth)[_-]?token)",
    "r": r"efresh[_-]?token",
}
NAMES = f"(?:{'|'.join(first + rest for first, rest in _NAMES.items())})"
"""What a field is called that holds a secret."""
NAME_START = r"(?:(?<![^\W_])|(?<=\\[bfnrt])|(?-i:(?<=[a-z])(?=[PSAR])))"
"""Where such a name may begin: also at a hump of camelCase."""
# The first letter by itself, and what stands before it looked at after: a search skips to such letters quickly.
_NAME = (
    r"[PpHhSsſAaRr](?:(?<![^\W_].)|(?<=\\[bfnrt].)|(?<=[a-z][PSAR]))"
    rf"(?i:{'|'.join(f'(?<={first}){rest}' for first, rest in _NAMES.items())})"
)
_WORDS = (
    r"(?:your|my|the|an?|new|old|some|insert|enter|put|add|replace|change|me|example|placeholder|dummy|fake|sample"
    r"|redacted|here|with|api|key|token|secret|password|passwd|pass|user|username|client|access|auth|value|string|str"
    r"|integer|int|boolean|bool|number|object|array|null|none|nil|true|false|undefined|required|optional|default|todo"
    r"|x{3,}+|\*{3,}+|\.{3,}+|…)"
)
_SOURCES = (
    r"(?:self|this|os|process|config|settings|cfg|conf|args|options|opts|env|params|kwargs|request|req|app|secrets?"
    r"|vault|var|local|data|credentials|creds|props|context|ctx|values|input)"
)


def _stand_in(end: str) -> str:
    """What stands where a secret will be, or names the place where it is kept, up to the end of a value."""
    return (
        rf"(?i:\[redacted|https?://|(?:{_WORDS}[_.-]?){{1,8}}{end}|<[\w .-]{{0,60}}>|[\w-]{{0,12}}(?:\.{{3}}|…){end}"
        rf"|[$@]\{{|\$\(|\{{\{{|\{{[\w.]+\}}{end}|%\w+%{end}|(?-i:\$[A-Z_][A-Z0-9_]*){end}|{_SOURCES}\.[a-z_]"
        rf"|(?:\w{{0,40}}[_.-])?{NAMES}{end}|[a-z_][\w.]{{0,60}}[(\[](?:[\"'\\)\]]|\d{{1,3}}\)|[a-z_][\w.]{{0,60}}[)\],=])"
        rf"|[a-z]\w{{0,40}}_\w{{0,40}}(?:\.[a-z_]\w{{0,40}}){{1,4}}{end}|sha\d{{1,3}}:|[a-z_]\w{{0,40}}::"
        rf"|(?-i:(?:[a-z]{{1,20}}(?:[A-Z][a-z]{{1,20}}){{0,4}})?(?:Password|Secret|Token|Key)(?:[A-Z][a-z]{{1,20}}){{1,4}}){end}"
        rf"|(?-i:(?:[A-Z0-9]{{1,20}}_){{0,6}}(?:KEY|SECRET|TOKEN|PASS|PASSWORD)(?:_[A-Z0-9]{{1,20}}){{0,3}}){end})"
    )


_END = rf"[)>.!?}}\]]{{0,3}}(?!{_VALUE})"
_NOT_STAND_IN = rf"(?!{_stand_in(_END)})"
# The secret half of a pair has no sign of its own: forty letters of both cases and digits, in a text on AWS.
_PAIRED = (
    r"(?=(?:[A-Za-z0-9+]|\\{0,8}/){40}(?![A-Za-z0-9/+=_-]))(?=(?:[A-Za-z+/\\]*\d){2})"
    r"(?=(?:[a-z0-9+/\\]*[A-Z]){4})(?=(?:[A-Z0-9+/\\]*[a-z]){4})(?:[A-Za-z0-9+]|\\{0,8}/){40}"
)
_GIVEN = rf"(?={_VALUE}{{0,99}}\d){_NOT_STAND_IN}{_VALUE}{{6,}}"
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private-key", re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)", re.S)),
    ("json-web-token", re.compile(rf"{_START}eyJ[\w-]{{8,2000}}\.[\w-]{{8,}}\.[\w-]{{8,}}")),
    ("api-key", re.compile(rf"[spr]{_STARTED}(?:(?<=s)k-|k_(?:live|test)_){_DIGIT}{_NO_FILLING}[\w-]{{16,}}")),
    ("secret-key", re.compile(rf"([\s\"'`=:(,<>|\[bfnrt](?:(?<![bfnrt])|(?<=\\.))){_PAIRED}")),
    ("secret-key", re.compile(rf"\A{_PAIRED}")),
    ("access-key", re.compile(rf"{_START}(?:AKIA|ASIA){_NO_FILLING}[0-9A-Z]{{16}}(?![^\W_])")),
    ("token", re.compile(
        rf"{_START}(?:(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|hf_|npm_|dop_v1_"
        rf"|dckr_pat_|shp(?:at|ss|ca)_|sbp_|lin_api_|ntn_|whsec_|GOCSPX-|pypi-|sq0csp-){_DIGIT}{_NO_FILLING}[\w-]{{16,}}"
        r"|(?:ya29|hvs|SG)\.[\w-]{16,}[\w.-]*|\d{8,10}:AA[\w-]{33}\b)")),
    ("google-key", re.compile(rf"{_START}AIza{_NO_FILLING}[\w-]{{35}}")),
    ("bearer", re.compile(
        rf"(?i)(?:(?<=bearer )|(?<=bearer%20))(?={_BEARER}{{0,99}}\d){_NOT_STAND_IN}{_BEARER}{{16,}}=*")),
    ("basic", re.compile(
        rf"(?i)(authorization{_QUOTE}\s{{0,9}}[:=,]\s{{0,9}}{_QUOTE}basic )(?=[a-z+/]{{0,99}}\d)[a-z0-9+/]{{8,}}=*")),
    ("url-password", re.compile(
        r"(?:(?<=://)|(?<=/\\/))[^\s/:@\"\\]*:"
        rf"(?!{_stand_in('@')})[^\s/@\"\\]+(?=@)")),
    # `password=` is an assignment, and so is a quoted name with a quoted word; after another colon only what has a
    # digit or a sign in it is more than a word.
    ("password", re.compile(
        rf"({_NAME}(?:{_QUOTE}\s*(?:(?:=>|:=|=)\s*|:\s*(?={_QUOTE}{_VALUE}{{0,99}}(?:[\d@#$%^&*]|!{_VALUE}))"
        rf"|(?<=[\"']):\s*(?=\\{{0,8}}[\"']{_VALUE}{{6,99}}\\{{0,8}}[\"']))){_QUOTE})"
        rf"{_NOT_STAND_IN}{_VALUE}{{6,}}")),
    ("password", re.compile(
        rf"(?i)(<\w{{0,30}}?{NAMES}>)(?!{_stand_in('<')})[^\s<\"\\]{{6,}}(?=<\\{{0,8}}/)")),
    # What a command or a file gives without a sign between.
    ("credential", re.compile(rf"(--(?i:(?:[a-z]{{1,20}}-)?{NAMES})\s{{1,9}}{_QUOTE}){_GIVEN}")),
    ("credential", re.compile(rf"(-(?<=\s-)(?:u|-user)[ =][\"']?[\w.@-]{{1,60}}:){_GIVEN}")),
    ("credential", re.compile(rf"({_NAME}\\{{0,8}}[\"']\s{{1,9}}value=\\{{0,8}}[\"']){_GIVEN}")),
    ("credential", re.compile(rf"([Ll](?i:(?<![^\W_].)ogin\s\S{{1,60}}\spassword\s)){_GIVEN}")),
    ("credential", re.compile(
        rf"([WwIi](?i:(?<=w)ith password|(?<=i)dentified by) \\{{0,8}}[\"']){_GIVEN}")),
)  # fmt: skip


def any_of(*marks: str) -> Callable[[str], object]:
    """Says whether a text holds one of these marks."""
    return lambda text: any(map(text.__contains__, marks))


def _ending(sign: str, *marks: str) -> Callable[[str], object]:
    """Finds marks that end with a sign by it: it is rarer than any letter, and one search does."""
    return re.compile(f"{sign}(?:{'|'.join(f'(?<={re.escape(mark)})' for mark in marks)})").search


_HOLDS_NAME = any_of("passw", "hasło", "secret", "api", "token")
MARKS: tuple[tuple[str, str, Callable[[str], object]], ...] = (
    ("private-key", "-", any_of("-----begin")),
    ("json-web-token", "", any_of("eyj")),
    ("api-key", "-", any_of("sk-")),
    ("api-key", "_", _ending("_", "k_live_", "k_test_")),
    ("access-key", "", any_of("akia", "asia")),
    (
        "token",
        "_",
        _ending(
            "_",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "hf_",
            "npm_",
            "dop_v1_",
            "dckr_pat_",
            "shpat_",
            "shpss_",
            "shpca_",
            "sbp_",
            "lin_api_",
            "ntn_",
            "whsec_",
        ),
    ),
    ("token", "-", any_of("glpat-", "xox", "xapp-", "gocspx-", "pypi-", "sq0csp-")),
    ("token", ".", any_of("ya29.", "hvs.", "sg.")),
    ("token", ":", any_of(":aa")),
    ("google-key", "", any_of("aiza")),
    ("bearer", "", any_of("bearer ", "bearer%20")),
    ("basic", "", any_of("basic ")),
    ("secret-key", "", any_of("aws", "akia", "asia")),
    ("url-password", "@", any_of("://", "/\\/")),
    ("password", "=", _HOLDS_NAME),
    ("password", ":", _HOLDS_NAME),
    (
        "credential",
        "--",
        re.compile(r"--(?:[a-z]{1,20}-)?(?:pg)?(?:pass|hasło|secret|api|access|auth|refresh|private)").search,
    ),
    ("credential", " value=", _HOLDS_NAME),
    ("credential", " password ", any_of("login ")),
    ("credential", "with password ", any_of("'", '"')),
    ("credential", "identified by ", any_of("'", '"')),
    ("credential", "curl ", any_of("-u", "--user")),
    ("password", "<", any_of("password>", "secret>", "key>", "token>", "passwd>")),
)
"""What a text that a pattern matches holds at the least, case-folded: the sign and one of the marks of a line."""
