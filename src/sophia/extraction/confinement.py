"""What the child may do: read what it was sent, in so much memory and time, and end with who started it."""

import ctypes
import os
import resource
import sys
from contextlib import suppress

from sophia.extraction.limits import Limits

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _SIGKILL = 1, 38, 9
DESCRIPTORS = 16


def confine(limits: Limits, parent: int) -> None:
    """Give up, for good, what the reading of a file needs none of."""
    if sys.platform == "linux":
        _die_with(parent)
    _bound(resource.RLIMIT_AS, limits.memory)
    _bound(resource.RLIMIT_FSIZE, 0)
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_NOFILE, DESCRIPTORS)


def allow_processor_time(limits: Limits) -> None:
    """Allow this process so many seconds more: the system ends it where it takes longer."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    spent = usage.ru_utime + usage.ru_stime
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + 1 + limits.cpu_s, most))


def _die_with(parent: int) -> None:
    """Have the kernel end this process with the thread that started it, and let it gain no rights.

    Elsewhere than on Linux the end of what it reads tells it.
    """
    system = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_PDEATHSIG, _SIGKILL), (_PR_SET_NO_NEW_PRIVS, 1)):
        if system.prctl(option, ctypes.c_ulong(value), 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:  # it died before the kernel was asked
        os._exit(0)


def _bound(kind: int, most: int) -> None:
    """Lower a limit to `most`, or leave it where it is lower already."""
    _, now = resource.getrlimit(kind)
    wanted = most if now == resource.RLIM_INFINITY else min(most, now)
    with suppress(ValueError):  # macOS knows the bound of the address space, and refuses to set it
        resource.setrlimit(kind, (wanted, wanted))
