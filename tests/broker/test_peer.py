"""Who is at the other end."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sophia.broker.peer import Peer, peer_of


def test_the_kernel_names_the_process_that_connected(tmp_path: Path):
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        client = f"import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect({path!r}); sys.stdin.read()"
        child = subprocess.Popen([sys.executable, "-c", client], stdin=subprocess.PIPE)
        with server.accept()[0] as met:
            assert peer_of(met) == Peer(child.pid, os.geteuid())
        child.communicate()


@pytest.mark.guarantee("PR1")
def test_only_the_same_user_is_the_owner():
    assert Peer(1, os.geteuid()).is_owner
    assert not Peer(1, os.geteuid() + 1).is_owner
