"""A clock that only a test turns."""

from dataclasses import dataclass

from sophia.core.clock import SECOND


@dataclass
class TurnableClock:
    """Stands still until it is turned. `now` may jump either way; `awake` only goes on, and a boot starts it anew."""

    wall: int = 1_790_000_000 * SECOND
    since_boot: int = 1000 * SECOND
    boots: int = 1

    def now(self) -> int:
        return self.wall

    def awake(self) -> int:
        return self.since_boot

    def boot_id(self) -> str:
        return f"boot-{self.boots}"

    def turn(self, microseconds: int) -> None:
        """Time passes, whether the machine is awake or asleep."""
        assert microseconds >= 0, "time does not go back; set_wall can"
        self.wall += microseconds
        self.since_boot += microseconds

    def set_wall(self, microseconds: int) -> None:
        """Somebody sets the wall clock, and no time passes."""
        self.wall = microseconds

    def reboot(self) -> None:
        """The machine starts anew."""
        self.boots += 1
        self.since_boot = 0
