"""How much the reading of one file may take."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """The bounds of one reading. What passes one of them has no text, and says which."""

    size: int = 64_000_000
    """The most bytes of a file."""
    characters: int = 4_000_000
    """The longest text that comes out of the child."""
    pieces: int = 50_000
    """The most pages, rows or paragraphs."""
    inflated: int = 256_000_000
    """The most bytes of everything that an archive holds."""
    ratio: int = 250
    """How many times its size an archive may unfold to, where that is more than a few megabytes."""
    depth: int = 1_000
    """How deep the parts of a page may be nested."""
    memory: int = 768_000_000
    """The address space of the child, in bytes: its libraries take a tenth of it."""
    cpu_s: int = 20
    """The processor time of one file."""
    wall_s: float = 30.0
    """The time of one file, waiting included."""
    files: int = 200
    """After how many files a new child takes over."""
    idle_s: float = 30.0
    """How long the child waits for another file."""
