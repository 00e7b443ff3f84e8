"""What the figures were measured on."""

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import apsw

PACKAGES = ("sophia", "apsw-sqlite3mc", "msgspec", "uvicorn", "uvloop", "httptools")
PEERS = ("mcp", "fastmcp", "uvicorn")


def described(peers: Path) -> dict[str, str]:
    """Processor, memory, system and versions, the peers' own among them."""
    told = {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "load": f"{os.getloadavg()[0]:.1f} at the start",
        "python": sys.version.split()[0],
        "sqlite": apsw.sqlite_lib_version(),
        **{name: version(name) for name in PACKAGES},
    }
    code = "import importlib.metadata as m, sys; print(*(m.version(n) for n in sys.argv[1:]))"
    asked = subprocess.run([peers, "-c", code, *PEERS], capture_output=True, text=True, check=True)
    return told | {f"{name} (peer)": found for name, found in zip(PEERS, asked.stdout.split(), strict=True)}


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
