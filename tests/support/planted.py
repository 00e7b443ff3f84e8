"""Secrets made up for the tests, put together as they run: no scanner finds one in this repository."""

import random
import string
from collections.abc import Callable
from dataclasses import dataclass

UPPER = string.ascii_uppercase + string.digits
MIXED = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL = MIXED + "-_"
ARMOUR = "-" * 5


@dataclass(frozen=True)
class Planted:
    """A secret, the text that it stands in, and the kind that it is to be told as."""

    name: str
    kind: str
    secret: str
    text: str


def drawn(length: int, alphabet: str = MIXED, seed: int = 7) -> str:
    """Characters as chance draws them, the same in every run, with a letter of each case and a digit among them."""
    chance = random.Random(f"{seed} {length} {alphabet}")
    made = "".join(chance.choice(alphabet) for _ in range(length - 3))
    tail = "7fa" if alphabet == HEX else "Q7X" if alphabet == UPPER else "q7X"
    return made + tail


def armoured(name: str = "", lines: int = 4) -> str:
    """A private key in armour."""
    body = "\n".join(drawn(64, MIXED + "+/", seed=n) for n in range(lines))
    label = f"{name} PRIVATE" if name else "PRIVATE"
    return f"{ARMOUR}BEGIN {label} KEY{ARMOUR}\n{body}\n{ARMOUR}END {label} KEY{ARMOUR}"


def _shaped() -> list[tuple[str, str, str]]:
    """Name, kind and value of what is known by its shape alone."""
    hook = drawn(24)
    jwt = ".".join(("ey" + "J" + drawn(17, URL), "ey" + "J" + drawn(40, URL), drawn(43, URL)))
    return [
        *((f"aws {p}", "aws_access_key", p + drawn(16, UPPER)) for p in ("AK" + "IA", "AS" + "IA", "AB" + "IA")),
        *((f"github {p}", "github_token", "gh" + p + "_" + drawn(36)) for p in "pousr"),
        ("github fine", "github_token", "github" + "_pat_" + drawn(22) + "_" + drawn(59)),
        ("gitlab", "gitlab_token", "gl" + "pat-" + drawn(20, URL)),
        *((f"slack {p}", "slack_token", "xo" + p + "-" + "1234567890-" + drawn(24)) for p in ("xb", "xp", "xa", "xs")),
        ("slack app", "slack_token", "xa" + "pp-1-A0123456789-" + drawn(40)),
        ("slack hook", "slack_webhook", "hooks." + f"slack.com/services/T{drawn(8, UPPER)}/B{drawn(9, UPPER)}/{hook}"),
        ("discord hook", "discord_webhook", "discord" + f".com/api/webhooks/{'12345678' * 2}/{drawn(68, URL)}"),
        ("jwt", "jwt", jwt),
        ("anthropic", "anthropic_key", "sk-" + "ant-api03-" + drawn(93, URL)),
        ("openrouter", "openrouter_key", "sk-" + "or-v1-" + drawn(64, HEX)),
        ("openai", "openai_key", "sk-" + drawn(48)),
        ("openai project", "openai_key", "sk-" + "proj-" + drawn(120, URL)),
        ("google", "google_api_key", "AI" + "za" + drawn(35, URL)),
        ("google access", "google_token", "ya" + "29." + drawn(60, URL)),
        ("google client", "google_token", "GOC" + "SPX-" + drawn(28, URL)),
        *((f"stripe {p}", "stripe_key", f"{p}_" + drawn(24)) for p in ("sk_" + "live", "sk_" + "test", "rk_" + "live")),
        ("stripe hook", "stripe_key", "wh" + "sec_" + drawn(32)),
        ("hugging face", "huggingface_token", "h" + "f_" + drawn(34)),
        ("npm", "npm_token", "np" + "m_" + drawn(36)),
        ("pypi", "pypi_token", "py" + "pi-AgE" + drawn(80, URL)),
        ("sendgrid", "sendgrid_key", "S" + "G." + drawn(22, URL) + "." + drawn(43, URL)),
        ("twilio", "twilio_key", "S" + "K" + drawn(32, HEX)),
        ("digitalocean", "digitalocean_token", "do" + "p_v1_" + drawn(64, HEX)),
        ("shopify", "shopify_token", "shp" + "at_" + drawn(32, HEX)),
        ("databricks", "databricks_token", "da" + "pi" + drawn(32, HEX)),
        ("groq", "groq_key", "gs" + "k_" + drawn(52)),
        ("xai", "xai_key", "xa" + "i-" + drawn(80)),
        ("vault", "vault_token", "hv" + "s." + drawn(90, URL)),
        ("atlassian", "atlassian_token", "AT" + "ATT3" + drawn(180, URL)),
        ("linear", "linear_key", "lin" + "_api_" + drawn(40)),
        ("notion", "notion_key", "nt" + "n_" + drawn(46)),
        ("postman", "postman_key", "PM" + "AK-" + drawn(24, HEX) + "-" + drawn(34, HEX)),
        ("tailscale", "tailscale_key", "ts" + "key-auth-" + drawn(16) + "-" + drawn(32)),
        ("grafana", "grafana_token", "gl" + "sa_" + drawn(32) + "_" + drawn(8, HEX)),
        ("age", "age_key", "AGE-" + "SECRET-KEY-1" + drawn(58, UPPER)),
        ("sophia", "sophia_bearer", "sop" + "hia_" + drawn(43, URL)),
        ("pem", "private_key", armoured()),
        ("pem rsa", "private_key", armoured("RSA")),
        ("pem openssh", "private_key", armoured("OPENSSH")),
        ("pem cut", "private_key", armoured("EC").rpartition("\n")[0]),
    ]  # fmt: skip


_WORD, _KEY, _HUB = "Zx9!kk22" + "aB#7", drawn(40), "gh" + "p_" + drawn(36)
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\ufe0f\u202e\U000e0041"
"""Signs that nobody sees."""
_NAMED: list[tuple[str, str, str, Callable[[str], str]]] = [
    ("env", "password", _WORD, lambda v: f"DB_PASSWORD={v}"),
    ("env letters", "password", "letme" + "inplease", lambda v: f"PASSWORD={v}"),
    ("yaml", "password", _WORD, lambda v: f"database:\n  password: {v}\n"),
    ("json", "password", _WORD, lambda v: f'{{"user": "ada", "password": "{v}"}}'),
    ("json escaped", "password", _WORD, lambda v: f'{{\\"password\\": \\"{v}\\"}}'),
    ("python", "password", _WORD, lambda v: f"password = '{v}'"),
    ("python typed", "password", _WORD, lambda v: f'password: str = "{v}"'),
    ("python item", "password", _WORD, lambda v: f'config["password"] = "{v}"'),
    ("php", "password", _WORD, lambda v: f"'password' => '{v}',"),
    ("go", "password", _WORD, lambda v: f'password := "{v}"'),
    ("xml", "password", _WORD, lambda v: f"<password>{v}</password>"),
    ("properties", "password", _WORD, lambda v: f"spring.datasource.password={v}"),
    ("prose", "password", _WORD, lambda v: f"The password is {v} for now"),
    ("bold", "password", _WORD, lambda v: f"**Password:** {v}"),
    ("table", "password", _WORD, lambda v: f"| password | {v} |"),
    ("option", "password", _WORD, lambda v: f"mysql --user root --password {v}"),
    ("option equals", "password", _WORD, lambda v: f"mysql --password={v}"),
    ("netrc", "password", _WORD, lambda v: f"machine example.org login ada password {v}"),
    ("pgpass", "password", _WORD, lambda v: f"PGPASSWORD={v} psql"),
    ("german", "password", _WORD, lambda v: f"Passwort: {v}"),
    ("spanish", "password", _WORD, lambda v: f"contraseña: {v}"),
    ("russian", "password", _WORD, lambda v: f"пароль: {v}"),
    ("chinese", "password", _WORD, lambda v: f"密码：{v}"),
    ("japanese", "password", _WORD, lambda v: f"パスワード: {v}"),
    ("digits", "password", "90210" + "4477", lambda v: f"passwd: {v}"),
    ("in a call", "password", _WORD, lambda v: f'connect(user="ada", password="{v}")'),
    ("passphrase", "passphrase", "correct horse battery " + "staple", lambda v: f'passphrase = "{v}"'),
    ("url", "url_password", "Zx9kk22" + "aB", lambda v: f"postgres://ada:{v}@db.example.org:5432/app"),
    ("telegram", "telegram_token", ":A" + "A" + drawn(33, URL), lambda v: f"https://example.org/bot123456789{v}/send"),
    ("api key", "api_key", _KEY, lambda v: f"api_key: {v}"),
    ("api key json", "api_key", _KEY, lambda v: f'"apiKey": "{v}"'),
    ("api key env", "api_key", drawn(32, HEX), lambda v: f"export WEATHER_API_KEY={v}"),
    ("api key uuid", "api_key", "550e8400-e29b-41d4-" + "a716-446655440000", lambda v: f"api-key: {v}"),
    ("aws secret", "aws_secret_key", drawn(40, MIXED + "+/"), lambda v: f"AWS_SECRET_ACCESS_KEY={v}"),
    ("aws secret json", "aws_secret_key", drawn(40, MIXED + "+/"), lambda v: f'"SecretAccessKey": "{v}"'),
    ("client secret", "secret", _KEY, lambda v: f"client_secret = {v}"),
    ("secret key", "secret", drawn(50, MIXED + "!@^&*(-_=+)"), lambda v: f"SECRET_KEY = '{v}'"),
    ("access key", "access_key", _KEY, lambda v: f"access_key={v}"),
    ("account key", "account_key", drawn(86, MIXED + "+/"), lambda v: f"account_key: {v}"),
    ("token", "token", _KEY, lambda v: f"GITLAB_TOKEN={v}"),
    ("token query", "token", _KEY, lambda v: f"https://example.org/x?access_token={v}&page=2"),
    ("npmrc", "token", drawn(36), lambda v: f"//registry.example.org/:_authToken={v}"),
    ("column", "password", _WORD, lambda v: f"| user | password |\n|---|---|\n| bob | |\n| ada | {v} |"),
    ("column csv", "api_key", _KEY, lambda v: f"name,api_key,since\nbob,,2025\nada,{v},2026\n"),
    ("column quoted", "password", _WORD, lambda v: f'"name";"password"\n"ada";"{v}"'),
    ("column tabs", "secret", _KEY, lambda v: f"name\tClient secret\nada\t{v}"),
    ("bearer", "authorization", _KEY, lambda v: f"Authorization: Bearer {v}"),
    ("basic", "authorization", drawn(28), lambda v: f"curl -H 'Authorization: Basic {v}'"),
]  # fmt: skip
_WORDS = [
    ("Passphrase", "passphrase"), ("pass phrase", "passphrase"), ("passwd", ""), ("pwd", ""), ("pw", ""), ("PW", ""),
    ("passcode", ""), ("Pass-Word", ""), ("pass code", ""), ("db_pass", ""), ("Passwort", ""), ("PASSWORT", ""),
    ("Kennwort", ""), ("mot de passe", ""), ("Mot-de-passe", ""), ("mot_de_passe", ""), ("mdp", ""), ("contraseña", ""),
    ("contrasen\u0303a", ""), ("CONTRASEÑA", ""), ("clave de acceso", ""), ("senha", ""), ("palavra-passe", ""),
    ("wachtwoord", ""), ("lösenord", ""), ("adgangskode", ""), ("passord", ""), ("salasana", ""), ("hasło", ""),
    ("HASŁO", ""), ("heslo", ""), ("jelszó", ""), ("parolă", ""), ("şifre", ""), ("lozinka", ""), ("Пароль", ""),
    ("κωδικός", ""), ("סיסמה", ""), ("كلمة المرور", ""), ("पासवर्ड", ""), ("รหัสผ่าน", ""), ("密码", ""), ("密碼", ""),
    ("口令", ""), ("パスワード", ""), ("비밀번호", ""), ("암호", ""), ("mật khẩu", ""), ("kata sandi", ""),
]  # fmt: skip


def veiled(text: str, sign: str, each: int = 2) -> str:
    """The text with a sign that nobody sees after every other letter."""
    return text[0] + "".join(sign * (n % each == 1) + letter for n, letter in enumerate(text[1:], 1))


def wide(text: str) -> str:
    """The text in full-width letters, digits and marks."""
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


SEEN_AS = [
    *((f"zero width {ord(sign):x}", _KEY, f"api_key: {veiled(_KEY, sign)}", veiled(_KEY, sign)) for sign in UNSEEN),
    *((f"in the name {ord(sign):x}", _KEY, f"{veiled('api_key', sign)}: {_KEY}", _KEY) for sign in UNSEEN),
    *((f"in a shape {ord(sign):x}", _HUB, f"See {veiled(_HUB, sign)} there.", veiled(_HUB, sign)) for sign in UNSEEN),
    ("wide name", _WORD, f"{wide('password')}: {_WORD}", _WORD),
    ("wide colon", _WORD, f"password：{_WORD}", _WORD),
    ("wide value", _WORD, f"password: {wide(_WORD)}", wide(_WORD)),
    ("all wide", _KEY, wide(f"api_key={_KEY}"), wide(_KEY)),
    ("wide shape", _HUB, f"See {wide(_HUB)} there.", wide(_HUB)),
    ("bold name", _WORD, f"\U0001d429\U0001d430: {_WORD}", _WORD),
    ("narrow blank", _WORD, f"password:\u00a0{_WORD}", _WORD),
    ("armour", "", veiled(armoured(), "\u200b", 7), ""),
]  # fmt: skip
"""Name, the secret as it is meant, the text, and the secret as it is written there."""
SHAPED = [Planted(name, kind, value, f"See {value} there.") for name, kind, value in _shaped()]
NAMED = [Planted(name, kind, value, text(value)) for name, kind, value, text in _NAMED]
NAMED += [
    Planted(f"{n} {word}", kind or "password", _WORD, f"{word}: {_WORD}") for n, (word, kind) in enumerate(_WORDS)
]
PLANTED = SHAPED + NAMED
