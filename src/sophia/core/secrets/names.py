"""The names that secrets are given, in the languages that people give them in."""

import re
from dataclasses import dataclass

PASSWORD, PASSPHRASE, KEY = "password", "passphrase", "key"
_ALONE = r"(?<![^\W_]){}(?![^\W_])"
"""A word that is a piece of others: it counts by itself only."""
STEMS: tuple[tuple[str, str, str], ...] = (
    ("passw", r"passw(?:or[dt]|d|rd)", PASSWORD),
    ("pass", r"pass[ _-](?:word|code)", PASSWORD),
    ("pass", r"pass[ _-]?phrase", PASSPHRASE),
    ("passcode", r"passcode", PASSWORD),
    ("pwd", r"pwd", PASSWORD),
    ("pswd", r"pswd", PASSWORD),
    ("_pass", r"_pass(?![a-z])", PASSWORD),
    ("secret", r"secret", "secret"),
    ("token", r"token", "token"),
    ("credential", r"credential", "credential"),
    ("key", r"key", KEY),
    ("mot", r"mot[ _-]?de[ _-]?passe", PASSWORD),
    ("palavra", r"palavra[ _-]?passe", PASSWORD),
    ("contrase", r"contrase(?:ñ|n\u0303|n)a", PASSWORD),
    ("clave", r"clave[ _](?:de[ _](?:acceso|paso)|secreta)", PASSWORD),
    ("kata", r"kata[ _]sandi", PASSWORD),
    ("mật", r"mật[ _]khẩu", PASSWORD),
    ("mat", r"mat[ _]khau", PASSWORD),
    *((word, _ALONE.format(word), PASSWORD) for word in (
        "pw", "psw", "mdp", "hasło", "haslo", "heslo", "geslo", "parola", "parolă", "parool", "sifre", "şifre", "senha",
        "contrasenya", "jelszó", "jelszo", "slaptažodis", "fjalëkalimi", "암호", "비번",
    )),
    *((word, re.escape(word), PASSWORD) for word in (
        "kennwort", "losungswort", "wachtwoord", "lösenord", "adgangskode", "passord", "lykilorð", "salasana",
        "lozinka", "пароль", "гасло", "парола", "лозинка", "κωδικός πρόσβασης", "κωδικός", "סיסמה", "סיסמא",
        "كلمة المرور", "كلمة السر", "رمز عبور", "पासवर्ड", "পাসওয়ার্ড", "รหัสผ่าน", "密码", "密碼", "口令", "パスワード",
        "비밀번호", "暗証番号",
    )),
    ("wachtwoordzin", r"wachtwoordzin", PASSPHRASE),
    ("phrase", r"phrase[ _]?secrète", PASSPHRASE),
)  # fmt: skip
"""What a name has in it, in lower case, with its whole form and the kind of what it names."""
IS = "is|was|lautet|ist|est|es|é|è|är|er|jest"
"""How a sentence says what something is."""


@dataclass(frozen=True, slots=True)
class Form:
    """One of the names: what it has in it, as text and encoded, its whole form, and the kind of what it names.

    The shortest of the roots and stems that stands in its own is its `root`: a text is looked through for these few.
    """

    stem: str
    encoded: bytes
    root: bytes
    whole: re.Pattern[str]
    kind: str


_SHARED = ("ken", "lav", "paro", "rase", "slo", "wort")
"""What several stems have in them, and few words."""


def _root(stem: str) -> bytes:
    roots = (*_SHARED, *(other for other, _, _ in STEMS))
    return min((root for root in roots if root in stem), key=len).encode()


_FORMS = tuple(Form(stem, stem.encode(), _root(stem), re.compile(form), kind) for stem, form, kind in STEMS)
_ROOTS = tuple(dict.fromkeys(form.root for form in _FORMS))
_ASCII_ROOTS = tuple(root for root in _ROOTS if root.isascii())


@dataclass(frozen=True, slots=True)
class Sought:
    """A text, itself and in lower case, and the names that may stand in it."""

    text: str
    lowered: str
    forms: tuple[Form, ...]


def sought(text: str) -> Sought:
    """The text, looked through for names once. Bytes are searched faster than text."""
    low = lowered(text)
    plain = low.encode("utf-8", "surrogatepass")
    roots = {root for root in (_ASCII_ROOTS if low.isascii() else _ROOTS) if root in plain}
    found = tuple(form for form in _FORMS if form.root in roots and form.encoded in plain) if roots else ()
    return Sought(text, low, found)


def lowered(text: str) -> str:
    """The text in lower case, as long as it was."""
    return text.replace("\u0130", "i").lower()
