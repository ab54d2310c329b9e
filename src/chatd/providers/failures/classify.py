"""Facts about a failure become a fault: by status and code first, by words only then (pure).

RULES is tried from top to bottom. The order is the knowledge in here: who is saturated is nothing else; an
empty account beats the refusal that it is wrapped in; a wrong model must fail at once, whatever
the gateway around it says; and a provider that was switched off answers as if it were only down.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from http import HTTPStatus
from typing import TypeAlias

from msgspec import Struct


class Clues(Struct, frozen=True, kw_only=True):
    """What is known of a failure. Codes and texts are in lower case, and bounded."""

    status: int | None = None
    # What the provider calls it: codes, types, the names of exceptions.
    codes: frozenset[str] = frozenset()
    # Its sentence alone, and that together with the rest of what it sent.
    message: str = ""
    text: str = ""


Rule: TypeAlias = Callable[[Clues], bool]

OVERLOADED = 529
CLIENT_CLOSED = 499
# Those of Cloudflare, when it cannot reach whom it stands for, or waits for it in vain.
_UNREACHABLE = (520, 521, 523, 525, 526, 530)
_LATE = (522, 524)


def _words(*phrases: str, in_message: bool = False) -> Rule:
    """Any of these, as whole words: `overloaded_error` is one of them, `get_billing` may be a tool's name.

    They are looked for in the text and in codes.
    """

    def fits(clues: Clues) -> bool:
        pattern = _whole_words(phrases)
        if pattern.search(clues.message if in_message else clues.text):
            return True
        # Codes that are not documented are made of words all the same.
        return any(pattern.search(code) or pattern.search(code.replace("_", " ")) for code in clues.codes)

    return fits


@cache
def _whole_words(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Made when a call has failed: all of them would take a good part of a start."""
    return re.compile(r"(?<![a-z0-9_])(?:" + "|".join(phrases) + r")(?![a-z0-9])")


def _status(*statuses: int) -> Rule:
    return lambda clues: clues.status in statuses


def _between(first: int, last: int) -> Rule:
    return lambda clues: clues.status is not None and first <= clues.status <= last


def _code(*codes: str) -> Rule:
    wanted = frozenset(codes)
    return lambda clues: not wanted.isdisjoint(clues.codes)


def _all(*rules: Rule) -> Rule:
    return lambda clues: all(rule(clues) for rule in rules)


def _not(rule: Rule) -> Rule:
    return lambda clues: not rule(clues)


_TOO_MANY = _status(HTTPStatus.TOO_MANY_REQUESTS)

RULES: Sequence[tuple[str, Rule]] = (
    ("interrupted", _words(r"(?:chat|request|operation) (?:was )?interrupted", in_message=True)),
    ("incomplete_stream", _words("stream closed before (?:message_stop|terminal event)")),
    # Our own gateway's word for it.
    ("provider_disabled", _words("provider_disabled")),
    ("overloaded", _status(OVERLOADED)),
    ("overloaded", _words("overloaded")),
    # An empty account. Where requests are counted, quotas and plans are about their number only.
    ("usage_limit", _status(HTTPStatus.PAYMENT_REQUIRED)),
    ("usage_limit", _words("insufficient_quota", "ai budget of", "billing_error", "billing_hard_limit")),
    ("usage_limit", _words("spend(?:ing)? limits?", "credit balance is too low")),
    ("usage_limit", _words("(?:out of|insufficient) (?:credits?|balance|funds)")),
    (
        "usage_limit",
        _all(_words("quotas?", "billing", "payment required", "usage limits?"), _not(_TOO_MANY)),
    ),
    # What we send back of earlier answers must fit together, in each provider's own way.
    ("chain_broken", _words(r"previous[ _]response (?:with id \S{1,200} )?(?:was )?not found")),
    ("chain_broken", _words("previous_response_not_found")),
    ("replay_mismatch", _code("invalid_encrypted_content")),
    ("replay_mismatch", _words("no tool output found for function call", "without its required")),
    ("replay_mismatch", _words(r"item with id \S{1,200} not found", "encrypted content .{0,80} not be")),
    ("replay_mismatch", _all(_words(r"invalid [`'\"]?signature[`'\"]?"), _not(_status(401, 403)))),
    ("replay_mismatch", _words("thought[ _]signature")),
    ("replay_mismatch", _words(r"thinking[`'\"]? or [`'\"]?redacted_thinking[`'\"]? blocks")),
    ("replay_mismatch", _words(r"expected [`'\"]?thinking[`'\"]?")),
    ("replay_mismatch", _words(r"[`'\"]?tool_use[`'\"]? ids were found without", "must be followed by tool")),
    (
        "replay_mismatch",
        _words(
            r"unexpected [`'\"]?tool_use_id[`'\"]?",
            r"without (?:a )?corresponding \W?[a-z_]{0,30}tool_[a-z]{1,20}",
        ),
    ),
    ("replay_mismatch", _words("must be a response to a prece+ding message")),
    ("replay_mismatch", _words("function (?:call|response) turn comes")),
    ("replay_mismatch", _words("number of function response parts")),
    ("context_too_large", _code("model_max_prompt_tokens_exceeded", "exceed_context_size_error")),
    (
        "context_too_large",
        _words(r"context[ _]length[ _]exceeded", "context_exceeded", "context size exceeded"),
    ),
    ("context_too_large", _words("maximum context length", "model_context_window", "maximum prompt length")),
    (
        "context_too_large",
        _words(r"exceed(?:s|ed)? (?:the |this )?(?:model'?s? )?context (?:window|limit|length)"),
    ),
    ("context_too_large", _words("context window (?:is )?(?:exceeded|full|too small)")),
    ("context_too_large", _words("prompt is too long", "input (?:is )?too long", "too many input tokens")),
    ("context_too_large", _words("range of input length should be", "exceeds the available context size")),
    (
        "context_too_large",
        _words("maximum model length", r"input token count (?:\(?[\d,]{1,15}\)? )?exceeds"),
    ),
    ("context_too_large", _words(r"prompt token count of [\d,]{1,15} exceeds")),
    ("context_too_large", _words(r"input token count is [\d,]{1,15} but")),
    # A key that is wrong is the root of whatever else is said.
    ("auth", _status(HTTPStatus.UNAUTHORIZED)),
    ("auth", _code("authentication_error", "invalid_api_key", "api_key_invalid", "unauthenticated")),
    ("auth", _code("unrecognizedclientexception", "expiredtokenexception", "invalidsignatureexception")),
    ("auth", _words("authentication", "unauthorized", "(?:invalid|incorrect)[ _]api[ _]key")),
    ("auth", _words("api key (?:is )?(?:not valid|invalid|expired)", "expiredtoken(?:exception)?")),
    ("auth", _words("security token .{0,40}(?:expired|invalid)")),
    # What is set wrongly stays wrong, however transient the rest may look.
    ("credentials", _words("resolve aws credentials")),
    ("model_not_found", _code("model_not_found", "invalid_model", "unsupported_model", "not_found_error")),
    ("model_not_found", _code("resourcenotfoundexception", "deploymentnotfound", "not_found")),
    ("model_not_found", _words("invalid[ _]model", "model[ _]not[ _]found", "unsupported[ _]model")),
    ("model_not_found", _words("malformed config(?:uration)?", "model .{0,80} does not exist")),
    ("content_filter", _code("content_filter", "content_policy_violation", "responsibleaipolicyviolation")),
    (
        "content_filter",
        _code("image_content_policy_violation", "moderation_blocked", "cyber_policy_violation"),
    ),
    ("content_filter", _words("content management policy", "flagged as potentially violating")),
    ("request_too_large", _status(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)),
    ("request_too_large", _code("request_too_large")),
    ("permission", _status(HTTPStatus.FORBIDDEN)),
    ("permission", _code("permission_error", "permission_denied", "accessdeniedexception")),
    ("permission", _words("forbidden")),
    ("model_not_found", _status(HTTPStatus.NOT_FOUND)),
    ("invalid_request", _status(400, 405, 422)),
    ("rate_limit", _TOO_MANY),
    (
        "rate_limit",
        _code("rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests"),
    ),
    ("rate_limit", _code("throttlingexception", "modelnotreadyexception", "servicequotaexceededexception")),
    ("invalid_request", _code("invalid_request_error", "invalid_argument", "failed_precondition")),
    ("invalid_request", _code("validationexception", "invalid_prompt", "unprocessable_entity")),
    ("rate_limit", _words("rate[ _-]limit(?:ed|s|ing)?", "too many requests", in_message=True)),
    # A server that cannot be reached now may be there in a while.
    ("timeout", _status(HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT, *_LATE)),
    ("timeout", _code("timeout_error", "deadline_exceeded", "modeltimeoutexception")),
    ("unavailable", _status(HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, *_UNREACHABLE)),
    ("unavailable", _code("serviceunavailableexception", "unavailable")),
    ("transport", _status(CLIENT_CLOSED)),
    ("transport", _code("api_connection_error", "connection_error", "cancelled")),
    # How a stream was reset, as gateways that speak HTTP/2 pass it on. Only some of it is worth another try.
    (
        "protocol",
        _words(r"(?:protocol|flow_control|frame_size|compression|settings_timeout|stream_closed)_error"),
    ),
    ("protocol", _words("inadequate_security", "http_1_1_required")),
    (
        "transport",
        _words("(?:internal_error|refused_stream|cancel|enhance_your_calm|no_error); received from peer"),
    ),
    ("timeout", _words("timeout", "timed out", "gateway timeout")),
    ("unavailable", _words("(?:service )?unavailable", "bad gateway")),
    ("transport", _words("connection (?:was )?(?:reset|refused|closed|aborted|lost)", "eof", "broken pipe")),
    ("transport", _words("client conn(?:ection)?", "goaway", "http2: stream closed")),
    ("transport", _words("use of closed network connection", "econn(?:reset|refused|aborted)")),
    ("server", _status(HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.FAILED_DEPENDENCY, HTTPStatus.CONFLICT)),
    ("server", _code("server_error", "api_error", "internal", "internal_error", "internalserverexception")),
    ("server", _code("modelerrorexception", "modelstreamerrorexception", "conflict_error", "aborted")),
    ("server", _words("(?:internal )?server error", in_message=True)),
    # Statuses that no provider is known to send.
    ("moved", _between(300, 399)),
    ("invalid_request", _between(400, 499)),
    ("server", _between(500, 599)),
    ("invalid_response", _between(100, 299)),
)


def fault_of(clues: Clues) -> str:
    """The first rule that fits; `unknown` when none does."""
    return next((fault for fault, fits in RULES if fits(clues)), "unknown")
