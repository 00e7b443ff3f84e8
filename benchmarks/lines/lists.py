"""The bytes of tools/list as it is: each tool of the surface once, whatever the connection."""

from benchmarks.bench import Bench
from benchmarks.figures import Figure
from sophia.catalog import listing
from sophia.catalog.catalog import Catalog
from sophia.core.access import NameStyle, SurfaceSize
from sophia.surface import GROUPS

KB = 1000


def measured(_bench: Bench) -> list[Figure]:
    """Sizes in bytes, which no round changes."""
    catalog = Catalog.over(GROUPS)
    found = []
    for size, bound in ((SurfaceSize.FULL, 100 * KB), (SurfaceSize.CORE, 32 * KB)):
        tools = listing.listed(catalog.tools, size)
        taken = len(listing.encoded(catalog, tools, NameStyle.DOTTED))
        found.append(Figure(f"tools/list, {size.value}: {len(tools)} tools", "bytes", [taken], at_most=bound))
    return found
