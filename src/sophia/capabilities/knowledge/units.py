"""Units of quantities, and the forms in which running text writes them."""

import re

_SAME = (
    "kg kilogram kilograms kilogramme kilogrammes kilogramm kilo kilos",
    "g gram grams gramme grammes gramm",
    "mg milligram milligrams milligramm",
    "t tonne tonnes ton tons",
    "lb lbs pound pounds",
    "oz ounce ounces",
    "km kilometre kilometres kilometer kilometers",
    "m metre metres meter meters",
    "cm centimetre centimetres centimeter centimeters zentimeter",
    "mm millimetre millimetres millimeter millimeters",
    "mi mile miles",
    "ft foot feet",
    "in inch inches",
    "m² m2 sqm qm",
    "km² km2",
    "l L litre litres liter liters",
    "ml mL millilitre millilitres milliliter milliliters",
    "s sec secs second seconds sekunde sekunden",
    "min mins minute minutes minuten",
    "h hr hrs hour hours stunde stunden",
    "d day days tag tage",
    "week weeks woche wochen",
    "month months monat monate",
    "year years yr yrs jahr jahre",
    "% percent prozent",
    "°C ℃ celsius",
    "°F ℉ fahrenheit",
    "kW kilowatt kilowatts",
    "kWh kilowatt-hours",
    "kB KB kilobyte kilobytes",
    "MB megabyte megabytes",
    "GB gigabyte gigabytes",
    "TB terabyte terabytes",
    "person persons people",
    "km/h kmh kph",
)
_GLUED = (
    "Hz kHz MHz GHz mW MW GW TW Wh MWh GWh mV kV mA Ah mAh kJ MJ kN Pa kPa MPa bar mbar mol px pt em rem dpi rpm bps "
    "kbps Mbps Gbps kbit Mbit Gbit bit ms ns KiB MiB GiB TiB PB fps dB lm lx ha cl dl kcal cal mph kts nm µm μm µs "
    "μs pp Std Stk Stück"
)
_OTHERS = frozenset(_GLUED.split())
"""Symbols of other units, which leave digits a number when they are glued to them. `5A` is a room."""
_FORMS = {form: frozenset(forms.split()) for forms in _SAME for form in forms.split()}
MAX_UNIT = 40
_GAP = "[ \u00a0\u2009\u202f-]?"


def forms(unit: str) -> frozenset[str]:
    """Every way to write the same unit. A symbol is that of its own case only: `mW` is not `MW`."""
    return _FORMS.get(unit) or _FORMS.get(unit.lower() if _is_word(unit) else unit) or frozenset({unit})


def known(form: str) -> bool:
    """Whether `form` writes a unit that is known."""
    return form in _FORMS or form in _OTHERS or (_is_word(form) and form.lower() in _FORMS)


def beside(text: str, start: int, end: int, unit: str) -> bool:
    """Whether the number at `start:end` stands beside that unit, in any of its forms."""
    symbols = [re.escape(form) for form in forms(unit) if not _is_word(form)]
    words = [f"(?i:{re.escape(form)})" for form in forms(unit) if _is_word(form)]
    written = f"(?:{'|'.join(sorted(symbols + words, key=len, reverse=True))})"
    after = re.compile(rf"{_GAP}{written}(?![^\W_]|[²³/])").match(text, end)
    before = re.compile(rf"(?<!\w){written}{_GAP}$").search(text[max(0, start - MAX_UNIT - 1) : start])
    return bool(after or before)


def _is_word(form: str) -> bool:
    return len(form) > 3
