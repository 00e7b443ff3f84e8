"""Who reads which of the risky kinds. Only the child imports this: the libraries are heavy."""

from types import MappingProxyType

from sophia.extraction import kinds
from sophia.extraction.extracted import Reader
from sophia.extraction.table import comma_separated, tab_separated

READERS: MappingProxyType[str, Reader] = MappingProxyType({kinds.CSV: comma_separated, kinds.TSV: tab_separated})
