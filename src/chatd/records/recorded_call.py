"""One model call while it is made: who is told what goes over the wire, and what became of it."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.ids import MessageId
from chatd.domain.message import Draft
from chatd.errors import ProviderError
from chatd.kit.clock import Clock, rfc3339
from chatd.providers.events import Finished
from chatd.providers.model import Model, Request
from chatd.providers.transport.tap import Exchange, Sending
from chatd.records.as_json import MESSAGES_MAX, first_words, reply_as_json, request_as_json
from chatd.records.exchanges import Exchanges
from chatd.records.run import Operation, RecordStatus, Step, StepError
from chatd.records.secrets import Hide, hiding, safe_text


class Subject(Struct, frozen=True, kw_only=True):
    """Which call it is."""

    number: int
    operation: Operation
    history_version: int


class RecordedCall:
    """A `Tap`. Whatever takes time is left for `step`, when the model has spoken."""

    def __init__(self, subject: Subject, model: Model, request: Request, clock: Clock) -> None:
        self.subject = subject
        self._model = model
        # Copied, since a history goes on growing; no more than could be told of it, since it may be long.
        self._request = replace(request, messages=request.messages[-MESSAGES_MAX:])
        self._earlier = len(request.messages) - len(self._request.messages)
        self._clock = clock
        self._exchanges = Exchanges(clock)
        self._started_at = rfc3339(clock.now_micros())
        self._finished_at: str | None = None
        self._status = RecordStatus.IN_PROGRESS
        self._draft: Draft | None = None
        self._finished: Finished | None = None
        self._error: StepError | None = None

    def sent(self, sending: Sending) -> Exchange:
        return self._exchanges.sent(sending)

    def finished(self, draft: Draft | None, finished: Finished) -> None:
        """The model has said everything; None: nothing."""
        self._draft, self._finished = draft, finished
        self._end(RecordStatus.COMPLETED)

    def failed(self, error: Exception) -> None:
        # What it says, and not the error itself, which would hold on to the connection.
        self._error = _facts(error)
        self._end(RecordStatus.ERROR)

    def interrupted(self) -> None:
        self._end(RecordStatus.INTERRUPTED)

    @property
    def is_over(self) -> bool:
        return self._status is not RecordStatus.IN_PROGRESS

    @property
    def tip(self) -> MessageId:
        """The newest message that the model was sent."""
        return self._request.messages[-1].id if self._request.messages else MessageId(0)

    def begun(self) -> Step:
        """What can be told before the keys of the call are known, which may be in everything else."""
        return Step(
            number=self.subject.number,
            operation=self.subject.operation,
            status=self._status,
            model=self._model.name,
            provider=self._model.provider,
            history_version=self.subject.history_version,
            started_at=self._started_at,
        )

    def step(self) -> Step:
        """All that is known by now."""
        hide = self._hide()
        finished, error = self._finished, self._error
        return replace(
            self.begun(),
            finished_at=self._finished_at,
            request=request_as_json(self._request, hide, earlier=self._earlier),
            response=reply_as_json(self._draft, finished.stop, hide) if finished is not None else None,
            usage=finished.usage if finished is not None else None,
            error=_without_keys(error, hide) if error is not None else None,
            attempts=self._exchanges.attempts(hide),
        )

    def first_words(self, message_id: MessageId) -> str:
        return first_words(self._request.messages, message_id, self._hide())

    def _end(self, status: RecordStatus) -> None:
        if self._status is RecordStatus.IN_PROGRESS:
            self._status = status
            self._finished_at = rfc3339(self._clock.now_micros())

    def _hide(self) -> Hide:
        return hiding(self._exchanges.keys())


def _facts(error: Exception) -> StepError:
    if not isinstance(error, ProviderError):
        # A mistake of ours. Its words are for our log.
        return StepError(message=type(error).__name__)
    return StepError(
        message=error.message,
        kind=error.kind,
        detail=error.detail,
        status_code=error.status_code,
        request_id=error.request_id,
    )


def _without_keys(error: StepError, hide: Hide) -> StepError:
    return replace(
        error,
        message=safe_text(error.message, hide),
        detail=safe_text(error.detail, hide) if error.detail else None,
        request_id=hide(error.request_id) if error.request_id else None,
    )
