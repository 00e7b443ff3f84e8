"""What the database can fail with, in the words that a caller can act on."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from sophia.core.errors import Conflict, DeadlineExceeded, ReadOnly, StorageFull, Unavailable

_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.CantOpenError)
STORAGE_FAULTS = (*_DAMAGED, apsw.FullError, apsw.ReadOnlyError)
"""What is wrong with the storage itself, and not with what was asked of it."""


@contextmanager
def translated() -> Generator[None]:
    """Raise the structured error that a failure of the engine means; a programming error stays what it is."""
    try:
        yield
    except apsw.FullError:
        raise StorageFull from None
    except apsw.ReadOnlyError:
        raise ReadOnly from None
    except (apsw.BusyError, apsw.LockedError):
        raise Unavailable("The state is busy; try again in a moment.", retry_after_s=1) from None
    except apsw.InterruptError:
        raise DeadlineExceeded from None
    except apsw.ConstraintError as error:
        raise Conflict(hint="What is written must be new and must fit what it names.") from error
    except _DAMAGED as error:
        raise Unavailable("The storage failed underneath this call; the owner can run `sophia doctor`.") from error
