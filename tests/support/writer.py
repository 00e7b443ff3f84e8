"""A house that writes until it is killed, and says on stdout what was acknowledged. Its argument is the place."""

import sys
import time
from pathlib import Path

from tests.support.process import settings


def main() -> None:
    """Open the house in this process, write as its owner, acknowledge each write once it returned."""
    from sophia.opening import opened

    house = opened(settings(Path(sys.argv[1])))
    began = time.time_ns()
    for n in range(1_000_000):
        name = f"{began}-{n}"
        answer = house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": name})
        assert not answer.is_error, answer.payload
        sys.stdout.write(name + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
