"""Secrets in texts: each is found by its shape or its name, and a placeholder stands for it."""

import hashlib
import time
from collections.abc import Callable, Collection

import pytest
from hypothesis import given, strategies

from sophia.core.secrets.assigned import assigned
from sophia.core.secrets.bearer import holds_bearer
from sophia.core.secrets.columns import columned
from sophia.core.secrets.masked import Masked, masked, secrets
from sophia.core.secrets.masking import Masking
from sophia.core.secrets.names import sought
from sophia.core.secrets.private_keys import armoured as private_keys
from sophia.core.secrets.shapes import shaped
from sophia.core.secrets.unveiled import unveiled
from tests.support.planted import (
    ARMOUR,
    NAMED,
    PLANTED,
    SEEN_AS,
    SHAPED,
    UNSEEN,
    Planted,
    armoured,
    drawn,
    veiled,
    wide,
)  # fmt: skip


def keyed(value: bytes) -> str:
    return hashlib.sha256(b"key" + value).hexdigest()


def none_allowed(_keyed: Collection[str]) -> set[str]:
    return set()


def clean(text: str) -> Masked:
    return masked(text, keyed, none_allowed)


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_a_secret_is_replaced_by_its_kind_and_its_end(planted: Planted):
    result = clean(planted.text)
    assert planted.secret not in result.text
    assert [hit.kind for hit in result.hits] == [planted.kind]
    placeholder = result.hits[0].placeholder
    start = planted.text.index(planted.secret)
    assert result.text[start:].startswith(placeholder)
    assert result.text.replace(placeholder, planted.secret) == planted.text
    if planted.kind != "private_key":
        assert f"[secret {planted.kind} …{planted.secret[-4:]} hit-" in placeholder


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_masking_twice_changes_nothing(planted: Planted):
    once = clean(planted.text).text
    again = clean(once)
    assert (again.text, again.hits) == (once, ())


@pytest.mark.parametrize(("name", "meant", "text", "written"), SEEN_AS, ids=[one[0] for one in SEEN_AS])
def test_a_secret_is_found_under_whatever_veils_it(name: str, meant: str, text: str, written: str):
    result = clean(f"Before {text} after")
    assert len(result.hits) == 1
    if meant:
        assert written not in result.text
        assert result.hits[0].keyed == keyed(meant.encode())
        at = f"Before {text} after".index(written)
        assert result.text == f"Before {text} after".replace(written, result.hits[0].placeholder)
        assert result.moved(at + len(written)) == at + len(result.hits[0].placeholder)
    assert (again := clean(result.text)).text == result.text
    assert again.hits == ()


def test_a_veiled_value_is_the_same_as_the_plain_one():
    value = "Zx9!kk22" + "aB#7"
    result = clean(f"password: {value}\nLater: {wide(value)} and {veiled(value, UNSEEN[0])}.")
    assert len(result.hits) == 1
    assert result.text.count("[secret password") == 3


def test_arguments_are_looked_at_without_their_veil():
    value = "Zx9!kk22" + "aB#7"
    masking = Masking(keyed, none_allowed, lambda: "")
    told = masking.arguments({"item": {veiled("password", UNSEEN[0]): value, "note": f"see {wide(value)}"}})
    assert value not in str(told)
    assert wide(value) not in str(told)
    assert len(masking.hits) == 1


def test_there_are_enough_of_them_to_mean_something():
    assert len({one.secret for one in SHAPED}) >= 40
    assert len({one.text for one in PLANTED}) >= 80


def test_equal_values_have_one_hit_and_others_another():
    value, other = drawn(40, seed=1), drawn(40, seed=2)
    result = clean(f"api_key={value} token={value} api_key={other}")
    assert len({hit.hit_id for hit in result.hits}) == 2
    assert "hit-" + keyed(value.encode())[:10] in result.text


def test_a_value_is_kept_out_where_it_stands_without_its_name_too():
    value = "Zx9!kk22" + "aB#7"
    result = clean(f"password: {value}\nLater: try {value} again, not {value[:-1]}.")
    assert value not in result.text
    assert result.text.count("[secret password") == 2


def test_what_is_too_common_to_be_told_is_masked_only_beside_its_name():
    assert clean("password=lettersonly and lettersonly").text.endswith("and lettersonly")


def test_of_a_short_value_nothing_is_shown():
    assert "[secret password … hit-" in clean("password=ab$" + "c12z").text


def test_of_a_key_in_armour_the_end_of_its_body_is_shown():
    whole = armoured("RSA")
    body_end = whole.splitlines()[-2][-4:]
    assert clean(whole).hits[0].last_four == body_end


def test_the_end_of_a_value_cannot_break_the_placeholder():
    hits = clean('password="abc12' + '345[]<>"').hits + clean("password: 'abc12345ä]] '").hits
    assert all(set("[]<>\"' \n").isdisjoint(hit.last_four) for hit in hits)


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_offsets_move_with_the_text(planted: Planted):
    result = clean(f"{planted.text}\nthe end")
    before = f"{planted.text}\nthe end".index("the end")
    assert result.text[result.moved(before) :] == "the end"
    start = planted.text.index(planted.secret)
    placeholder = result.hits[0].placeholder
    assert result.moved(start) == start
    assert {result.moved(start + n) for n in (1, len(planted.secret))} == {start + len(placeholder)}


def test_where_nothing_was_masked_no_offset_moves():
    result = clean("nothing here")
    assert (result.text, result.hits, result.moved(7)) == ("nothing here", (), 7)


def test_an_allowed_value_is_kept_and_no_other():
    value, other = drawn(40, seed=1), drawn(40, seed=2)
    text = f"api_key={value}\napi_key={other}"
    result = masked(text, keyed, lambda _: {keyed(value.encode())})
    assert value in result.text
    assert other not in result.text
    assert len(result.hits) == 1


def test_several_private_keys_are_told_apart():
    first, second = armoured("RSA"), armoured("EC", 3)
    cut = first.rpartition("\n")[0]
    result = clean(f"a\n{cut}\nb\n{second}\nc\n{ARMOUR}END PRIVATE KEY{ARMOUR}\n{second}\nd")
    assert [line for line in result.text.splitlines() if len(line) == 1] == ["a", "b", "c", "d"]
    assert result.text.count("[secret private_key") == 3


def test_an_encrypted_key_goes_with_its_headers():
    whole = armoured("RSA").replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\n\n", 1)
    cut = whole.rpartition("\n")[0]
    assert clean(cut).text.startswith("[secret private_key")
    assert drawn(64, "".join(sorted(set(cut)))) not in clean(cut).text


@given(strategies.text(max_size=300))
def test_any_text_is_taken_and_masked_once(text: str):
    once = clean(text)
    assert clean(once.text).text == once.text


HOSTILE = [
    "password=" * 40_000, "eyJ" * 100_000, "a://" * 80_000, "a://b:c" * 50_000, 'password="' * 30_000,
    f"{ARMOUR}BEGIN PRIVATE KEY{ARMOUR}\n" * 10_000, "api_key: " + "apikey" * 50_000, "password: " + "a." * 100_000,
    "token is " * 30_000, 'secret: "' + "my" * 200 + '"\n', "login a" * 40_000, "://" + "x" * 300_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:20])
def test_the_search_is_linear_whatever_the_text(text: str):
    began = time.process_time()
    secrets(text)
    assert time.process_time() - began < 5


DETECTORS: dict[str, Callable[[str], object]] = {
    "assigned": lambda text: list(assigned(sought(text))),
    "columned": lambda text: list(columned(sought(text))),
    "shaped": lambda text: list(shaped(text)),
    "private_keys": lambda text: list(private_keys(text)),
    "bearer": holds_bearer,
    "unveiled": unveiled,
    "masked": clean,
    "arguments": lambda text: Masking(keyed, none_allowed, lambda: "").arguments({"body": text}),
}
PIECES = [
    "password:", "password: ", "password|", "token is ", "--password ", "api_key: ", "pw=,,,", "key:])}", "login x ",
    "password,key\n", "password\t", "|", "secret=\"'", "a://b:c@", "eyJ.", "bearer " + "a1" * 6 + " ", "sk-ant-",
    f"{ARMOUR}BEGIN PRIVATE KEY{ARMOUR}\n", "A" * 64 + "\n", "[secret x … hit-", "p\u200b", "\uff50", "sop" + "hia_",
    "--", "mot de ", "\u200b",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=range(len(PIECES)))
def test_every_detector_takes_four_times_as_long_for_four_times_as_much(piece: str):
    def taken(detector: Callable[[str], object], size: int) -> float:
        text = piece * (size // len(piece))
        began = time.process_time()
        detector(text)
        return time.process_time() - began

    for name, detector in DETECTORS.items():
        least = min(taken(detector, 4_000) for _ in range(2))
        assert min(taken(detector, 16_000) for _ in range(2)) < 10 * max(least, 0.004), name


def test_a_password_named_over_and_over_is_soon_read():
    text = "password:" * 50_000
    began = time.process_time()
    secrets(text)
    assert time.process_time() - began < 4


def test_a_named_secret_in_every_form_is_one_value():
    assert {one.kind for one in NAMED} >= {"password", "passphrase", "api_key", "secret", "token", "authorization"}
