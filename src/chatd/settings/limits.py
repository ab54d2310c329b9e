"""Settings of how much callers may do: in a minute, and of files in all."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from chatd.domain.people.rates import PER_MINUTE_MAX, USUAL_RATES, CallerKind, Rates

PerMinute: TypeAlias = Annotated[int, Meta(ge=0, le=PER_MINUTE_MAX)]

FILE_BYTES_LIMIT = 2**50

_EXPECTED = {"expected": f"a whole number from 0 to {PER_MINUTE_MAX}"}
_PEOPLE, _VIEWERS, _END_USERS, _SERVICES = (USUAL_RATES[kind] for kind in CallerKind)


def _said(description: str) -> Meta:
    return Meta(description=f"{description}; 0 for any number.", extra=_EXPECTED)


def _unless_any(description: str, usual: int | None) -> Meta:
    extra = {**_EXPECTED, "default": f"`{usual}`; `0` where `requests_per_minute` is `0`"}
    return Meta(description=f"{description}; 0 for any number.", extra=extra)


class LimitSettings(Struct, frozen=True, kw_only=True):
    """0 is for any number."""

    requests_per_minute: Annotated[
        PerMinute,
        Meta(
            description="How many requests a person may make in a minute; 0 for any number. `/metrics`, "
            "`/healthz` and `/readyz` do not count.",
            extra=_EXPECTED,
        ),
    ] = _PEOPLE.requests or 0
    turns_per_minute: Annotated[
        PerMinute | None,
        _unless_any(
            "Of these, how many may have an agent or a model work: create, import, send, edit, retry, "
            "compact, find a title",
            _PEOPLE.turns,
        ),
    ] = None
    uploads_per_minute: Annotated[
        PerMinute,
        _said("How many files a person may upload in a minute, and how many chats import"),
    ] = _PEOPLE.uploads or 0
    streams_per_minute: Annotated[
        PerMinute | None,
        _unless_any("How many streams a person may open in a minute", _PEOPLE.streams),
    ] = None
    viewer_requests_per_minute: Annotated[
        PerMinute, _said("How many requests a viewer may make in a minute")
    ] = _VIEWERS.requests or 0
    viewer_streams_per_minute: Annotated[
        PerMinute, _said("How many streams a viewer may open in a minute")
    ] = _VIEWERS.streams or 0
    end_user_requests_per_minute: Annotated[
        PerMinute,
        _said("How many requests an end user of a service may make in a minute. The service's count too"),
    ] = _END_USERS.requests or 0
    end_user_turns_per_minute: Annotated[
        PerMinute, _said("Of these, how many may have an agent or a model work")
    ] = _END_USERS.turns or 0
    end_user_uploads_per_minute: Annotated[
        PerMinute, _said("How many files an end user may upload in a minute, and how many chats import")
    ] = _END_USERS.uploads or 0
    end_user_streams_per_minute: Annotated[
        PerMinute, _said("How many streams an end user may open in a minute")
    ] = _END_USERS.streams or 0
    service_requests_per_minute: Annotated[
        PerMinute,
        _said(
            "How many requests a service may make in a minute, for itself and all of its end users, unless "
            "it has rates of its own"
        ),
    ] = _SERVICES.requests or 0
    service_turns_per_minute: Annotated[
        PerMinute, _said("Of these, how many may have an agent or a model work")
    ] = _SERVICES.turns or 0
    service_uploads_per_minute: Annotated[
        PerMinute, _said("How many files a service may upload in a minute, and how many chats import")
    ] = _SERVICES.uploads or 0
    service_streams_per_minute: Annotated[
        PerMinute, _said("How many streams a service may open in a minute")
    ] = _SERVICES.streams or 0
    sign_ins_per_minute: Annotated[
        PerMinute, _said("How often somebody may try to sign in from one address in a minute")
    ] = 20
    guests_per_minute: Annotated[
        PerMinute, _said("How many requests with public links may come from one address in a minute")
    ] = 60
    wrong_tokens_per_minute: Annotated[
        PerMinute,
        _said(
            "How many requests with a wrong token, and how many with none, may come from one address in a "
            "minute"
        ),
    ] = 300

    file_bytes_max: Annotated[
        int,
        Meta(
            ge=0,
            le=FILE_BYTES_LIMIT,
            description="What each user may have of files in all, in bytes, with what tools attach in their "
            "chats; 0 for any number.",
            extra={
                "expected": f"a whole number from 0 to {FILE_BYTES_LIMIT}",
                "default": "`1073741824`, 1 GiB",
            },
        ),
    ] = 1024**3

    @property
    def rates(self) -> Mapping[CallerKind, Rates]:
        """Who may ask for any number of requests may have any number of them be turns and streams."""
        others = Rates(turns=0, streams=0) if not self.requests_per_minute else _PEOPLE
        turns, streams = self.turns_per_minute, self.streams_per_minute
        return {
            CallerKind.PERSON: Rates(
                requests=self.requests_per_minute,
                turns=others.turns if turns is None else turns,
                uploads=self.uploads_per_minute,
                streams=others.streams if streams is None else streams,
            ),
            CallerKind.VIEWER: Rates(
                requests=self.viewer_requests_per_minute, streams=self.viewer_streams_per_minute
            ),
            CallerKind.END_USER: Rates(
                requests=self.end_user_requests_per_minute,
                turns=self.end_user_turns_per_minute,
                uploads=self.end_user_uploads_per_minute,
                streams=self.end_user_streams_per_minute,
            ),
            CallerKind.SERVICE: Rates(
                requests=self.service_requests_per_minute,
                turns=self.service_turns_per_minute,
                uploads=self.service_uploads_per_minute,
                streams=self.service_streams_per_minute,
            ),
        }
