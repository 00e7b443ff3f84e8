"""One-time codes that stand for the owner's presence, once, for exactly one act."""

import hashlib
from dataclasses import dataclass

from sophia.access.bearers import Entropy
from sophia.core.clock import MINUTE, Clock, rfc3339
from sophia.core.errors import Conflict, NotPermitted
from sophia.core.ids import ALPHABET
from sophia.owner import records
from sophia.owner.office import OWNER
from sophia.owner.records import Code
from sophia.store.ops import Ops

LENGTH = 8
GOOD_US = 5 * MINUTE
MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class Issued:
    """A fresh code, with the only copy of it."""

    code: str
    expires_at: str


@dataclass(frozen=True)
class Grants:
    """Issues codes and takes them, each once."""

    ops: Ops
    clock: Clock
    entropy: Entropy

    def issue(self, command: str, parameters_sha256: str) -> Issued:
        """A code for one run of this command with exactly these parameters, within five minutes."""
        code = "".join(ALPHABET[byte & 31] for byte in self.entropy(LENGTH))
        until = self.clock.awake() + GOOD_US
        with self.ops.writing() as tx:
            records.keep_code(tx, Code(_digest(code), parameters_sha256, self.clock.boot_id(), until, 0, None))
            tx.log("granted", OWNER, command, parameters=parameters_sha256)
        return Issued(code, rfc3339(self.clock.now() + GOOD_US))

    def redeem(self, code: str, command: str, parameters_sha256: str) -> None:
        """Use the code up. `Conflict` where it was used before, `NotPermitted` where it is not good for this."""
        digest = _digest(code)
        with self.ops.writing() as tx:
            found = records.code(tx, digest)
            good = found is not None and found.parameters_sha256 == parameters_sha256 and self._alive(found)
            used = good and not records.use_code(tx, digest, self.clock.now())
            if not good:
                records.count_try(tx, digest, parameters_sha256)
            tx.log("grant_used" if good and not used else "grant_refused", OWNER, command, parameters=parameters_sha256)
        if used:
            raise Conflict("This code was used already: it is good for one act.")
        if not good:
            raise NotPermitted("This code is not good for this: it is wrong, too old, or was given for something else.")

    def _alive(self, found: Code) -> bool:
        waits = found.boot_id == self.clock.boot_id() and self.clock.awake() < found.expires_awake
        return waits and found.tries < MOST_TRIES


def _digest(code: str) -> str:
    return hashlib.sha256(code.strip().lower().encode()).hexdigest()
