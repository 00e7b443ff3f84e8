"""Who is at the other end of a unix socket: as the kernel says, never as they say."""

import os
import socket
import struct
import sys
from dataclasses import dataclass

_UCRED = struct.Struct("3i")
_XUCRED = struct.Struct("IIh16I")
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
_LOCAL_PEERPID = 2


@dataclass(frozen=True, slots=True)
class Peer:
    """A process, and the user it runs as."""

    pid: int
    uid: int

    @property
    def is_owner(self) -> bool:
        """Whether it runs as the user that this process runs as."""
        return self.uid == os.geteuid()


def peer_of(line: socket.socket) -> Peer:
    """The process that connected; `OSError` where the kernel does not tell."""
    if sys.platform == "linux":
        pid, uid, _gid = _UCRED.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
        return Peer(pid, uid)
    return _by_local(line)


def _by_local(line: socket.socket) -> Peer:
    """As macOS and the BSDs tell it."""
    _version, uid, *_groups = _XUCRED.unpack(line.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size))
    return Peer(line.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID), uid)
