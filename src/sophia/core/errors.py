"""Every refusal Sophia can utter: the docstring is the message, the code is the contract."""

from typing import Any, ClassVar


class SophiaError(Exception):
    """Something went wrong inside; the error id finds it in the daemon's log."""

    code: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str | None = None,
        *,
        argument: str | None = None,
        hint: str | None = None,
        valid: list[str] | None = None,
        candidates: list[Any] | None = None,
        retry_after_s: float | None = None,
        **details: Any,
    ) -> None:
        self.message = message or " ".join((type(self).__doc__ or "").split())
        super().__init__(self.message)
        self.argument = argument
        self.hint = hint
        self.valid = valid
        self.candidates = candidates
        self.retry_after_s = retry_after_s
        self.details = details

    def wire(self, error_id: str) -> dict[str, Any]:
        """The error as an agent reads it: `{code, message, error_id}` and what else applies."""
        told = {
            "code": self.code,
            "message": self.message,
            "error_id": error_id,
            "argument": self.argument,
            "hint": self.hint,
            "valid": self.valid,
            "candidates": self.candidates,
            "retry_after_s": self.retry_after_s,
            "details": self.details or None,
        }
        return {key: value for key, value in told.items() if value is not None}


class BadArguments(SophiaError):
    """The arguments do not fit the tool."""

    code = "bad_arguments"


class UnknownFields(SophiaError):
    """There are no such fields in this tool's rows."""

    code = "unknown_fields"


class InvalidCursor(SophiaError):
    """This cursor does not belong to this question; ask again without one."""

    code = "invalid_cursor"


class IdempotencyMismatch(SophiaError):
    """This idempotency_key was used before with other arguments; use a new key for a new write."""

    code = "idempotency_mismatch"


class NotFound(SophiaError):
    """There is nothing of that id or name within this connection's scope."""

    code = "not_found"


class Ambiguous(SophiaError):
    """That name fits more than one; name one of the candidates by its id."""

    code = "ambiguous"


class WriteNotPermitted(SophiaError):
    """This connection's profile cannot call this tool."""

    code = "write_not_permitted"


class NotPermitted(SophiaError):
    """The owner has not permitted this."""

    code = "not_permitted"


class ApprovalPending(SophiaError):
    """The owner has to approve this call before it runs."""

    code = "approval_pending"


class ApprovalDenied(SophiaError):
    """The owner denied this call."""

    code = "approval_denied"


class ApprovalVoid(SophiaError):
    """The approval no longer holds, because the connection changed; ask again."""

    code = "approval_void"


class PreviewChanged(SophiaError):
    """What this call would change is no longer what was shown; it has to be approved anew."""

    code = "preview_changed"


class BearerAlreadyDelivered(SophiaError):
    """The bearer of this mint was delivered once and is not kept; rotate it to get a new one."""

    code = "bearer_already_delivered"


class Conflict(SophiaError):
    """The write collides with what is already there."""

    code = "conflict"


class WeakerEvidence(SophiaError):
    """A weaker fact never takes the place of a stronger one; both stand and contradict each other."""

    code = "weaker_evidence"


class LimitReached(SophiaError):
    """A limit is reached; the details name it and what frees it."""

    code = "limit_reached"


class RateLimited(SophiaError):
    """Too many calls; wait and try again."""

    code = "rate_limited"


class TooLarge(SophiaError):
    """That is larger than Sophia takes."""

    code = "too_large"


class Unsupported(SophiaError):
    """Sophia does not support that."""

    code = "unsupported"


class RejectedValue(SophiaError):
    """The owner or an agent rejected this value before."""

    code = "rejected_value"


class NotGrounded(SophiaError):
    """No quote stands behind this."""

    code = "not_grounded"


class Forgotten(SophiaError):
    """The owner had this forgotten; it is not taken in again until the owner allows it."""

    code = "forgotten"


class DeadlineExceeded(SophiaError):
    """The call took longer than its deadline and was stopped; ask for less."""

    code = "deadline_exceeded"


class ReadOnly(SophiaError):
    """The daemon is read-only for now: reads answer, writes are refused."""

    code = "read_only"


class StorageFull(SophiaError):
    """The disk is full: the write was rolled back, reads still answer."""

    code = "storage_full"


class Unavailable(SophiaError):
    """That is not available right now; try again."""

    code = "unavailable"


class NotAvailableInIsolate(SophiaError):
    """This tool is called directly, not from inside execute_code."""

    code = "not_available_in_isolate"


class UnknownTool(SophiaError):
    """unknown tool"""

    code = "unknown_tool"


class Unauthenticated(SophiaError):
    """Authentication required. Provide a valid Bearer token."""

    code = "invalid_or_revoked_bearer"


def again(told: dict[str, Any]) -> SophiaError:
    """The error that was once told on the wire, to be told once more."""
    kind = next((one for one in ERRORS if one.code == told["code"]), SophiaError)
    same = {name: told[name] for name in ("argument", "hint", "valid", "candidates", "retry_after_s") if name in told}
    return kind(told["message"], **same, **told.get("details", {}))


ERRORS: tuple[type[SophiaError], ...] = (
    SophiaError, BadArguments, UnknownFields, InvalidCursor, IdempotencyMismatch, NotFound, Ambiguous,
    WriteNotPermitted, NotPermitted, ApprovalPending, ApprovalDenied, ApprovalVoid, PreviewChanged,
    BearerAlreadyDelivered, Conflict, WeakerEvidence, LimitReached, RateLimited, TooLarge, Unsupported, RejectedValue,
    NotGrounded, Forgotten, DeadlineExceeded, ReadOnly, StorageFull, Unavailable, NotAvailableInIsolate,
)  # fmt: skip
"""The codes that a tool's answer may carry, as the catalog lists them."""
