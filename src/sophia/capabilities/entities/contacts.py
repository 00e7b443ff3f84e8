"""The addresses among an entity's attributes that hardly two share: of mail, and of a site of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MOST = 10
"""How many addresses of an entity are looked at."""
_MAIL = frozenset({"email", "emails", "e_mail", "e_mails", "mail", "email_address", "email_addresses"})
_SITE = frozenset({"website", "websites", "site", "url", "urls", "homepage", "web", "domain", "domains"})


@dataclass(frozen=True, slots=True)
class Contact:
    """An address as it is compared, and what two that have it have in common."""

    text: str
    why: str
    score: float


def contacts(attributes: Mapping[str, Any]) -> list[Contact]:
    """The addresses of mail and of sites that the attributes hold, in texts or lists of them."""
    found: dict[str, Contact] = {}
    for name, value in attributes.items():
        key = name.strip().casefold().replace("-", "_").replace(" ", "_")
        for text in _texts(value):
            if key in _MAIL and (mail := _mail(text)):
                found[mail] = Contact(mail, "same e-mail", 0.96)
            elif key in _SITE and (site := _site(text)):
                found[site] = Contact(site, "same domain", 0.9)
    return list(found.values())[:MOST]


def _texts(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and len(one) <= 300:
            yield one.strip()


def _mail(text: str) -> str | None:
    local, at, domain = text.casefold().removeprefix("mailto:").rpartition("@")
    return f"{local}@{domain}" if at and local and "." in domain and not text.count(" ") else None


def _site(text: str) -> str | None:
    """The host of an address, with the path where it has one: many live side by side on one host."""
    try:
        parted = urlsplit(text if "://" in text else f"//{text}")
        host = (parted.hostname or "").removeprefix("www.").rstrip(".")
    except ValueError:
        return None
    return host + parted.path.rstrip("/") if "." in host and " " not in host else None
