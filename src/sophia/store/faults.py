"""What the database can fail with, in the words that a caller can act on."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from sophia.core.errors import Conflict, DeadlineExceeded, Forgotten, ReadOnly, StorageFull, Unavailable

STORAGE_FAULTS = (
    apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.CantOpenError, apsw.FullError, apsw.ReadOnlyError,
)  # fmt: skip
"""What is wrong with the storage itself, and not with what was asked of it."""


FORGOTTEN = "forgotten"
"""What the schema's guards say of a value that the owner had forgotten."""


@contextmanager
def translated() -> Generator[None]:
    """Raise the structured error that a failure of the engine means; a programming error stays what it is."""
    try:
        yield
    except apsw.Error as error:
        told = meant(error)
        if told is error:
            raise
        raise told from error


def meant(error: BaseException) -> BaseException:
    """The structured error that a failure of the engine means; any other error itself."""
    match error:
        case apsw.FullError():
            return StorageFull()
        case apsw.ReadOnlyError():
            return ReadOnly()
        case apsw.BusyError() | apsw.LockedError():
            return Unavailable("The state is busy; try again in a moment.", retry_after_s=1)
        case apsw.InterruptError():
            return DeadlineExceeded()
        case apsw.ConstraintError() if str(error) == FORGOTTEN:
            return Forgotten()
        case apsw.ConstraintError():
            return Conflict(hint="What is written must be new and must fit what it names.")
        case apsw.CorruptError() | apsw.NotADBError() | apsw.IOError() | apsw.CantOpenError():
            return Unavailable("The storage failed underneath this call; the owner can run `sophia doctor`.")
        case _:
            return error
