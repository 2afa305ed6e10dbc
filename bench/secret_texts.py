"""Made secrets of twelve shapes in the surroundings they turn up in, and texts that look like secrets and are none.

Every secret is put together here from letters drawn from a fixed seed: none was ever one.
"""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LETTERS = string.ascii_letters + string.digits


def drawn(length: int, seed: str, letters: str = LETTERS) -> str:
    """So many letters, the same for the same seed, with a digit among the first."""
    made = random.Random(f"{seed}/{length}")
    text = "".join(made.choice(letters) for _ in range(length))
    return text[:3] + made.choice("23456789") + text[4:]


def _web_token(seed: str) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": drawn(6, seed), "iat": 1764547200})
    encoded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return ".".join((*encoded, drawn(43, seed)))


def _private_key(seed: str) -> str:
    kind = {"0": "RSA ", "1": "EC ", "2": "OPENSSH ", "3": "ENCRYPTED ", "4": ""}[seed[-1]]
    lines = "\n".join(drawn(64, f"{seed}{at}", LETTERS + "+/") for at in range(3))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


SHAPES: dict[str, Callable[[str], str]] = {
    "aws": lambda seed: f"AKIA{drawn(16, seed, string.ascii_uppercase + '234567')}",
    "github classic": lambda seed: f"{('ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_')[int(seed[-1])]}{drawn(36, seed)}",
    "github fine-grained": lambda seed: f"github_pat_{drawn(22, seed)}_{drawn(59, seed)}",
    "slack": lambda seed: f"{('xoxb', 'xoxp')[int(seed[-1]) % 2]}-{'2' * 12}-{'3' * 12}-{drawn(24, seed)}",
    "jwt": _web_token,
    "pem": _private_key,
    "password": lambda seed: drawn(12, seed, LETTERS + "!#%*"),
    "url": lambda seed: f"svc:{drawn(14, seed)}",
    "stripe": lambda seed: f"{('sk_live_', 'sk_test_', 'rk_live_')[int(seed[-1]) % 3]}{drawn(24, seed)}",
    "openai": lambda seed: f"{('sk-', 'sk-proj-', 'sk-svcacct-')[int(seed[-1]) % 3]}{drawn(48, seed)}",
    "anthropic": lambda seed: f"sk-ant-api03-{drawn(93, seed, LETTERS + '_-')}AA",
    "google": lambda seed: f"AIza{drawn(35, seed, LETTERS + '_-')}",
    "bearer": lambda seed: drawn(40, seed, LETTERS + "-._~+/"),
    "aws secret": lambda seed: drawn(40, seed, LETTERS + "+/"),
}

_ANYWHERE = (
    '{"key": "@"}', '{"note": "it is @, keep it", "n": 1}', "SERVICE_KEY=@", "export SERVICE_KEY='@'\n",
    "service:\n  key: @\n  size: 3", "client = Client(key='@', retries=2)", 'const key = "@";', "Use @ for now.",
    "The key (@) was revoked.", 'curl -H "X-Key: @" https://api.example.com/v1', "https://api.example.com/v1?key=@&n=2",
    "2026-11-30T10:00:00Z INFO started with @", "| name | @ |", "`@`", "<key>@</key>", "key%3D@", "<@>",
)  # fmt: skip
_OWN = {
    "password": (
        '{"password": "@"}', '{"dbPassword":"@"}', "DB_PASSWORD=@", "PGPASSWORD=@ psql", "export DB_PASSWORD='@'",
        "database:\n  user: app\n  password: @", 'password: "@"', "connect(user='app', password='@')",
        'const password = "@";', "Log in with password=@ today.", "curl -d 'user=a&password=@' https://x.example/in",
        "mysql --password=@ -u root", "tool --password @ run", "[INFO] passwd=@ accepted", "<password>@</password>",
        "'password' => '@',", 'password := "@"', "Server=db;User Id=sa;Password=@;", "client_secret: @",
        '"clientSecret": "@"',
    ),
    "url": (
        "postgres://@@db.example.com:5432/app", '{"url": "https://@@api.example.com/v1"}',
        "DATABASE_URL=mysql://@@10.0.0.4/app", "url: redis://@@cache:6379/0", "git clone https://@@git.example.com/a.git",
        "connect('amqps://@@mq.example.com')", "Reach it under https://@@example.com/x.",
        "2026-11-30 error: cannot open mongodb+srv://@@c0.example.net/?retry=1",
    ),
    "bearer": (
        "Authorization: Bearer @",
        'curl -H "Authorization: Bearer @" https://x.example', '{"Authorization": "Bearer @"}',
        "headers:\n  authorization: bearer @", "AUTH_HEADER='Bearer @'", 'headers={"Authorization": f"Bearer @"}',
        "Send Authorization: Bearer @ with it.", "GET /v1 HTTP/1.1\r\nauthorization: Bearer @\r\nhost: x",
        "DEBUG request headers=[('authorization', 'Bearer @')]",
    ),
    "aws secret": (
        "aws_secret_access_key = @", "AWS_SECRET_ACCESS_KEY=@", '{"SecretAccessKey": "@"}', '"secretAccessKey":"@"',
        "aws:\n  secret_key: @", "boto3.client('s3', aws_secret_access_key='@')", "export AWS_SECRET_ACCESS_KEY='@'",
        "aws configure set aws_secret_access_key @", "The AWS secret is @ and expires.",
        "INFO aws credentials AKIAZ3456ABCDEFGHIJK @ loaded",
    ),
}  # fmt: skip
SURROUNDINGS: dict[str, tuple[str, ...]] = {shape: _OWN.get(shape, _ANYWHERE) for shape in SHAPES}


@dataclass(frozen=True, slots=True)
class Made:
    """A text with a secret of a shape in it; `secret` is what may not stand in what is shown of it."""

    shape: str
    text: str
    secret: str


def secrets() -> Iterator[Made]:
    """Each shape five times in each of its surroundings, the last time with JSON escapes around and inside it."""
    for shape, make in SHAPES.items():
        for at, around in enumerate(SURROUNDINGS[shape]):
            for turn in range(5):
                secret = make(f"{shape}{at}{turn}")
                before, _, after = around.partition("@")
                text = f"{before}{secret}{after}"
                told = secret.split("\n")[1] if "\n" in secret else secret.removeprefix("svc:")
                yield Made(shape, text, told)
                if turn == 4:
                    yield Made(f"{shape}, as a line in a JSON text", json.dumps({"log": f"a\n{text}\tb"}), told)
                    yield Made(f"{shape}, spelled with JSON escapes", escaped(text), told)
                    yield Made(f"{shape}, JSON in JSON", json.dumps({"out": json.dumps({"log": f"a\n{text}"})}), told)


def escaped(text: str) -> str:
    """A JSON text that spells every fifth letter of a text, and every slash, with an escape."""
    letters = (
        rf"\u{ord(each):04x}" if at % 5 == 1 or each in '"\\\n\r\t' else "\\/" if each == "/" else each
        for at, each in enumerate(text)
    )
    return f'{{"log": "{"".join(letters)}"}}'


HARMLESS: dict[str, tuple[str, ...]] = {
    "uuid": (
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "secret_id: f47ac10b-58cc-4372-a567-0e02b2c3d479",
        '{"api_key_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479"}',
    ),
    "git hash": (
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "aws-sdk 3f786850e387550fdab836ed7e6dc881de23001b",
        "index 83db48f..bf269f4 100644",
    ),
    "sha256": (
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "aws ecr sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "integrity sha512-" + base64.b64encode(drawn(64, "integrity").encode()).decode(),
    ),
    "base64 image": tuple(
        f"data:image/png;base64,iVBORw0KGgo{drawn(length, 'image', LETTERS + '+/')}" for length in (29, 400, 20_000)
    ),
    "placeholder": (
        "api_key=YOUR_API_KEY_HERE",
        "api_key: YOUR_API_KEY_HERE",
        'api_key="your-api-key"',
        "password=<password>",
        "password: <your-password-1>",
        "OPENAI_API_KEY=sk-...",
        "sk-YOUR_API_KEY_HERE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AKIAXXXXXXXXXXXXXXXX",
        "password=********",
        "Authorization: Bearer YOUR_TOKEN_HERE",
        "Authorization: Bearer <token>",
        "api_key=xxxxxxxxxxxx",
        'api_key: "{{ api_key_v2 }}"',
        "postgres://user:password@localhost/db",
        "password=changeme",
        "https://<user>:<password>@host.example",
        "AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "password: [redacted]",
        "client_secret=REPLACE_ME",
        '{"password": "string"}',
        "sk_test_your_key_here",
        "xoxb-your-token-here",
        "secret=example-secret",
        "password=null;",
        "api_key=None, timeout=30",
    ),
    "environment": (
        'api_key=os.environ["OPENAI_API_KEY"]',
        "password=${DB_PASSWORD}",
        "password: ${DB_PASSWORD_2}",
        "password=$DB_PASSWORD",
        "api_key = os.getenv('KEY2')",
        "apiKey: process.env.API_KEY2",
        "password: ENV['DB_PASS2']",
        "https://${USER}:${PASS}@host.example/x",
        "api_key=config.api_key",
        "secret = get_secret('db2')",
        "password=password, user=user",
        "secret: $(cat /run/secret2)",
        "Authorization: Bearer $TOKEN2",
        'f"Bearer {token2}"',
        "password = self._password",
        "password: {{ .Values.db.password2 }}",
        "https://$USER:$PASS@host.example",
        "api_key=args.api_key)",
        "password=%DB_PASSWORD%",
        "password = input('Password: ')",
        "secret: !Ref DbSecret2",
        "api_key: string = settings.key2",
        "password=@{secrets.PASSWORD}",
        "let passwd: *mut passwd = ptr::null_mut();",
        "this.userPassword = userPasswordAsBytes;",
        "password = match.group(1)",
        "password: Field(max_length=100)",
        "api_key = OPENAI_KEY_2",
        "secret: aws_secretsmanager_secret.db1.arn",
    ),
    "prose": (
        "Never put a secret into a prompt.",
        "The password must have 12 characters.",
        "A password: 8 to 64 signs.",
        "Rotate the api key every 90 days; secrets: see page 4.",
        "Passwords=bad, keys=good.",
        "Her secret: she reads at night.",
        "Bearer tokens are sent in a header.",
        "Secret: none. Password: unchanged!",
        "Is the password correct?",
        "The secret to success is work.",
        "Forgot password? Reset password: click here!",
        '{"password": "Password of the account, at least 8 signs"}',
        "basic authentication is off",
        "an api_key: see https://example.org/a1",
    ),
    "tool-call id": (
        "toolu_01A09q90qw90lq917835lq9",
        "call_62136354abcDEF0123456789",
        "chatcmpl-9f8aKQ2WcTxYz01234567",
        '{"tool_call_id": "call_Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9"}',
        "msg_01XFDUDYJgAACzvnptvVoYEL",
        "req_011CSHoEeqs5C35K2UUqR7Fy",
        "fc_68af4030baa48193b0b43b4c2a176a1a",
    ),
    "order number": (
        "#W4817420",
        "ORD-2026-000184-AB12",
        "order 4400-1234-5678-9010",
        "SKU-AK47-Z99-2026-PRO-MAX-01",
        "pk_customer_orders_2024_index",
        "invoice INV20261130000042",
    ),
}
