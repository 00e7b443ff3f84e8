"""The currencies of ISO 4217, how many digits follow their decimal point, and how they are written."""

from types import MappingProxyType

_TWO = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP "
    "CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR "
    "JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN "
    "NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP "
    "SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG HRK"
)
_NONE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THREE = "BHD IQD JOD KWD LYD OMR TND"

MINOR_DIGITS: MappingProxyType[str, int] = MappingProxyType(
    dict.fromkeys(_TWO.split(), 2) | dict.fromkeys(_NONE.split(), 0) | dict.fromkeys(_THREE.split(), 3)
)
"""How many digits an amount of each currency has after its decimal point."""

_WRITTEN = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR",
    "$": "USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP UYU", "us$": "USD", "a$": "AUD", "c$": "CAD", "ca$": "CAD",
    "au$": "AUD", "nz$": "NZD", "s$": "SGD", "hk$": "HKD", "nt$": "TWD", "mx$": "MXN", "r$": "BRL",
    "dollar": "USD AUD CAD NZD SGD HKD TWD", "dollars": "USD AUD CAD NZD SGD HKD TWD",
    "£": "GBP EGP GIP", "pound": "GBP EGP", "pounds": "GBP EGP", "sterling": "GBP",
    "¥": "JPY CNY", "￥": "JPY CNY", "yen": "JPY", "円": "JPY", "yuan": "CNY", "元": "CNY", "rmb": "CNY",
    "fr.": "CHF", "sfr": "CHF", "franken": "CHF", "francs": "CHF XAF XOF", "kr": "SEK NOK DKK ISK",
    "kr.": "SEK NOK DKK ISK",
    "zł": "PLN", "zl": "PLN", "kč": "CZK", "ft": "HUF", "lei": "RON MDL", "₹": "INR", "rs": "INR PKR LKR NPR MUR SCR",
    "rs.": "INR PKR LKR NPR MUR SCR", "rupees": "INR PKR LKR NPR", "₩": "KRW", "won": "KRW KPW", "₽": "RUB",
    "rubles": "RUB", "₺": "TRY", "tl": "TRY", "lira": "TRY", "₪": "ILS", "₴": "UAH", "₫": "VND", "₱": "PHP", "฿": "THB",
    "baht": "THB", "₦": "NGN", "rand": "ZAR", "real": "BRL", "reais": "BRL", "pesos": "MXN ARS CLP COP PHP CUP UYU",
}  # fmt: skip
WRITTEN: MappingProxyType[str, frozenset[str]] = MappingProxyType(
    {sign: frozenset(codes.split()) for sign, codes in _WRITTEN.items()}
)
"""What a sign or a word, case-folded, may mean: `$` is a dollar of some country."""


def meant(mark: str) -> frozenset[str]:
    """The currencies that a code, sign or word may mean; empty where it means none."""
    if mark.upper() in MINOR_DIGITS and mark.isascii():
        return frozenset({mark.upper()})
    return WRITTEN.get(mark.casefold(), frozenset())
