"""The exact Host and Origin check that stands in front of every route, before anything is read."""

from dataclasses import dataclass

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Turned:
    """A request that is turned away: the HTTP status, a short code, and a sentence."""

    status: int
    code: str
    message: str


TWO_HOSTS = Turned(400, "bad_request", "A request carries exactly one Host header.")
NO_SOCKETS = Turned(400, "bad_request", "There are no WebSockets here; send plain HTTP requests.")
FOREIGN_HOST = Turned(421, "misdirected", "Host must be this daemon's own loopback address and port.")
FOREIGN_ORIGIN = Turned(403, "forbidden_origin", "Requests from other origins are refused.")


@dataclass(frozen=True, slots=True)
class Guard:
    """Who may be addressed, and from where."""

    hosts: frozenset[bytes]
    origins: frozenset[bytes]

    def turned(self, headers: dict[bytes, bytes], repeated: frozenset[bytes]) -> Turned | None:
        """Why this request is turned away; `None` where it may pass."""
        if headers.get(b"host") not in self.hosts or b"host" in repeated:
            return TWO_HOSTS if b"host" in repeated else FOREIGN_HOST
        if b"origin" in headers and (headers[b"origin"] not in self.origins or b"origin" in repeated):
            return FOREIGN_ORIGIN
        if b"upgrade" in headers and b"websocket" in headers[b"upgrade"].lower():
            return NO_SOCKETS
        return None


def loopback(port: int) -> Guard:
    """The guard of a daemon that listens on `port` of this machine alone."""
    suffix = b":%d" % port
    names = (b"127.0.0.1", b"localhost", b"[::1]")
    hosts = {name + suffix for name in names} | (set(names) if port == 80 else set())
    return Guard(frozenset(hosts), frozenset(b"http://" + host for host in hosts))


def gathered(raw: Headers) -> tuple[dict[bytes, bytes], frozenset[bytes]]:
    """The headers by name, and the names that came more than once."""
    headers = dict(raw)
    if len(headers) == len(raw):
        return headers, NEVER
    names = [name for name, _ in raw]
    return headers, frozenset(name for name in headers if names.count(name) > 1)


NEVER: frozenset[bytes] = frozenset()
