"""The error tree. Ask who should act, and there are four answers.

    ChatdError
    ├── Refused             the caller asked for what the rules forbid      → tell the caller
    │   ├── NotFound            there is no such thing, or not for this caller
    │   ├── NotAllowed          this command, in this situation
    │   │   ├── InvalidState        the row fits no state; only a repair helps
    │   │   └── KeyUsed             the caller's key names something else, or the same already
    │   ├── BadInput            the command itself is malformed
    │   │   └── NotAUserMessage     (a NotAllowed too)
    │   ├── Unauthenticated     we do not know who is asking
    │   └── LimitReached        a named bound is full
    │       ├── TooManyFiles        (a BadInput too)
    │       └── QuotaReached        of what a user may have in all
    ├── Stale               another caller moved the chat; our work is void  → drop it, quietly
    ├── ProviderError       the model's server failed; it has a kind         → the retry table decides
    └── Unusable            a directory, a port or a database is wrong       → tell the operator
        └── Misconfigured       it is a setting that is wrong

A broken invariant is none of these: it is an AssertionError. Nor is a database that cannot be used at
the moment, `Unavailable`: it passes by itself, and callers that can wait try again.
"""


class ChatdError(Exception):
    """The root of everything we raise on purpose."""


class Refused(ChatdError):
    """The rules forbid it. `code` is for programs, the message for people, `hint` says what to do next."""

    def __init__(self, code: str, message: str, *, field: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.hint = hint


class NotFound(Refused):
    pass


class NotAllowed(Refused):
    pass


class InvalidState(NotAllowed):
    pass


class KeyUsed(NotAllowed):
    def __init__(self, key: str) -> None:
        super().__init__(
            "key_used",
            f"The key {key!r} was used for another request.",
            field="key",
            hint="Take a new key for every chat and message; repeat one only with the same request.",
        )


class BadInput(Refused):
    pass


class NotAUserMessage(BadInput, NotAllowed):
    pass


class Unauthenticated(Refused):
    pass


class LimitReached(Refused):
    """A named bound is full; `limit` is that bound."""

    def __init__(
        self, code: str, message: str, *, limit: int, field: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(code, message, field=field, hint=hint)
        self.limit = limit


class TooManyFiles(BadInput, LimitReached):
    pass


class QuotaReached(LimitReached):
    pass


class Stale(ChatdError):
    """The chat was changed since we read it. The change counts, and our work does not."""


class ProviderError(ChatdError):
    """A model call failed. `kind` is for tables, the message for the person who reads the chat.

    `fault` is what exactly went wrong, where a kind covers several: a prompt that is too large and a model
    that does not exist are for different people to mend.
    """

    def __init__(  # noqa: PLR0913 - each is named where it is given
        self,
        kind: str,
        message: str,
        *,
        fault: str = "",
        retryable: bool = False,
        retry_after_seconds: float | None = None,
        status_code: int | None = None,
        provider: str | None = None,
        detail: str | None = None,
        request_id: str | None = None,
        context_max: int | None = None,
        context_used: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.fault = fault or kind
        self.request_id = request_id
        self.context_max = context_max
        self.context_used = context_used
        self.message = message
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds
        self.status_code = status_code
        self.provider = provider
        self.detail = detail
        # How long the provider was waited for, when nothing came at all.
        self.unanswered_seconds = 0.0


class Unusable(ChatdError):
    """The operator has to change something; the message says what."""


class Misconfigured(Unusable):
    pass


class Unavailable(Exception):
    """The database cannot be reached, is closed, or keeps us waiting for too long. It may be back soon.

    It is not known whether a commit that ended so took place.
    """


class Locked(Unavailable):
    """Another transaction keeps a row that this one needs. Nothing of this one took place."""
