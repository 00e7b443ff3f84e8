"""How every server that is measured against is run: uvicorn on uvloop and httptools, and one line when it is ready."""

import json
import os
import socket
from typing import Any

import uvicorn

TOKEN = "bench-0123456789abcdef"


def serve(app: Any) -> None:
    """Serve on a free port of the loopback interface until the process is ended."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(128)
    port = sock.getsockname()[1]
    config = uvicorn.Config(app, loop="uvloop", http="httptools", access_log=False, log_level="error")
    print(json.dumps({"port": port, "pid": os.getpid(), "token": TOKEN}), flush=True)
    uvicorn.Server(config).run(sockets=[sock])
