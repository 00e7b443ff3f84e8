"""A daemon with the packaged model: it is loaded when it is needed, and not before."""

import time
from pathlib import Path

from tests.support.daemon import Daemon, running


def status(daemon: Daemon, name: str) -> int:
    lines = Path(f"/proc/{daemon.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def test_the_model_is_loaded_for_the_first_passage_and_finds_it_by_its_meaning(tmp_path: Path):
    (tmp_path / "vet.md").write_text("# Card of Miso\n\nThe cat was vaccinated against rabies by the vet.\n")
    home = tmp_path / "home"
    home.mkdir()
    # It keeps no record where CI is set.
    with running(SOPHIA_EMBEDDINGS="packaged", HOME=str(home), CI="") as daemon:
        assert "onnxruntime" not in Path(f"/proc/{daemon.pid}/maps").read_text()
        assert status(daemon, "VmRSS") < 150 * 1024
        assert daemon.sophia("import", str(tmp_path)).code == 0
        end = time.monotonic() + 60
        while "Card of Miso" not in daemon.sophia("search", "kitten immunization").out:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert "onnxruntime" in Path(f"/proc/{daemon.pid}/maps").read_text()
        assert status(daemon, "VmRSS") < 450 * 1024
        assert list(home.rglob("*onnxruntime*")) == [], "what it computes with keeps a record of its use"
