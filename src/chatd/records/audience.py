"""What each kind of viewer is shown of a record (pure). `chat.wire` is the deed that decides.

A record holds more than a chat's owner may know: the prompt of the deployment, and how its provider is
reached. The owner is shown what was said, in our own words, and how each round trip went; administrators are
also shown what went over the wire. Keys, and values of headers that an administrator set, are in neither.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from chatd.domain.message import Role
from chatd.domain.part import Json
from chatd.providers.failures.request_ids import is_request_id
from chatd.records.as_json import length_of
from chatd.records.run import Attempt, ReceivedResponse, Run, SentRequest, Step
from chatd.records.secrets import HIDDEN

WITHHELD = "[left out: for administrators]"

# Headers that our own code sets. Any other one is of an administrator's making.
_SENT = frozenset(
    {"accept", "accept-encoding", "anthropic-beta", "anthropic-version", "content-type", "user-agent"}
)
# What says nothing of who answered, and something of how it went.
_RECEIVED = frozenset({"content-type", "date", "retry-after", "retry-after-ms", "x-should-retry"})


def run_for(run: Run, *, shows_wire: bool) -> Run:
    return run if shows_wire else replace(run, summary=replace(run.summary, endpoint=""))


def step_for(step: Step, *, shows_wire: bool) -> Step:
    if shows_wire:
        return replace(step, attempts=tuple(map(_for_admin, step.attempts)))
    return replace(
        step, request=_without_system(step.request), attempts=tuple(map(_for_member, step.attempts))
    )


def _for_admin(attempt: Attempt) -> Attempt:
    """Hidden here as well: older versions have kept the values of headers."""
    headers = {
        name: value if name.lower() in _SENT else HIDDEN for name, value in attempt.request.headers.items()
    }
    return replace(attempt, request=replace(attempt.request, headers=headers))


def _for_member(attempt: Attempt) -> Attempt:
    """No body: there the prompt stands in the provider's form, and some repeat it in their answer."""
    request, response = attempt.request, attempt.response
    return replace(
        attempt,
        request=SentRequest(
            method=request.method,
            url=WITHHELD,
            headers=_only(_SENT, request.headers),
            body=_withheld(request.body),
        ),
        response=_received(response) if response is not None else None,
        # The words of a broken connection name the host; its kind does not.
        error=attempt.error.partition(":")[0] if attempt.error is not None else None,
    )


def _received(response: ReceivedResponse) -> ReceivedResponse:
    return ReceivedResponse(
        status=response.status, headers=_only(_RECEIVED, response.headers), body=_withheld(response.body)
    )


def _only(shown: frozenset[str], headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in headers.items() if name.lower() in shown or is_request_id(name.lower())
    }


def _withheld(body: Json) -> Json:
    return None if body is None else WITHHELD


def _without_system(request: Json) -> Json:
    if not isinstance(request, dict):
        return request
    system = [f"[left out: a prompt of {length_of(words)} characters]" for words in request.get("system", ())]
    messages = [_without_words(message) for message in request.get("messages", ())]
    return request | {"system": system, "messages": messages}


def _without_words(message: Json) -> Json:
    if message["role"] != Role.SYSTEM:
        return message
    return message | {"content": [{"type": "text", "text": WITHHELD}]}
