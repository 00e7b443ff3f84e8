"""What has become of the quotes that facts stand on, for whoever cites facts without knowing how quotes are found."""

from collections.abc import Sequence
from typing import Literal, Protocol

from sophia.core.listing import Rows

Standing = Literal["holds", "moved", "quote_lost", "source_gone", "unsourced", "unchecked"]
"""`unsourced` is a fact by somebody's word; `unchecked` one whose changed source was too much to look through now."""


class QuoteStandings(Protocol):
    """Who can tell it. Knowledge provides it; the wiki consumes it."""

    def __call__(self, db: Rows, fact_ids: Sequence[str]) -> dict[str, Standing]:
        """How the quote of each of these facts stands now, of those that the caller sees."""
