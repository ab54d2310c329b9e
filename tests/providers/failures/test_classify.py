"""Which fault it is: every status, every code and every text that we know, and who wins over whom."""

import pytest

from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.failures.classify import RULES
from chatd.providers.failures.faults import FAULTS
from tests.providers.failures.words import answered, error, told
from tests.traceability import proves

STATUSES = [
    (204, "invalid_response"),
    (301, "moved"),
    (307, "moved"),
    (400, "invalid_request"),
    (401, "auth"),
    (402, "usage_limit"),
    (403, "permission"),
    (404, "model_not_found"),
    (405, "invalid_request"),
    (408, "timeout"),
    (409, "server"),
    (413, "request_too_large"),
    (418, "invalid_request"),
    (422, "invalid_request"),
    (424, "server"),
    (429, "rate_limit"),
    (499, "transport"),
    (500, "server"),
    (502, "unavailable"),
    (503, "unavailable"),
    (504, "timeout"),
    (507, "server"),
    (520, "unavailable"),
    (524, "timeout"),
    (529, "overloaded"),
]


@proves("model-layer", 141)
@pytest.mark.parametrize(("status", "fault"), STATUSES)
def test_a_status_alone_says_what_it_is(status: int, fault: str) -> None:
    known = answered(status)

    assert (known.fault, known.kind, known.retryable) == (fault, FAULTS[fault].kind, FAULTS[fault].retryable)
    assert (known.status_code, known.detail, known.provider) == (status, None, "anthropic")


CODES = [
    # Anthropic
    ("invalid_request_error", "invalid_request"),
    ("authentication_error", "auth"),
    ("billing_error", "usage_limit"),
    ("permission_error", "permission"),
    ("not_found_error", "model_not_found"),
    ("conflict_error", "server"),
    ("request_too_large", "request_too_large"),
    ("rate_limit_error", "rate_limit"),
    ("api_error", "server"),
    ("timeout_error", "timeout"),
    ("overloaded_error", "overloaded"),
    # OpenAI and Azure
    ("context_length_exceeded", "context_too_large"),
    ("invalid_prompt", "invalid_request"),
    ("content_filter", "content_filter"),
    ("content_policy_violation", "content_filter"),
    ("ResponsibleAIPolicyViolation", "content_filter"),
    ("model_not_found", "model_not_found"),
    ("DeploymentNotFound", "model_not_found"),
    ("previous_response_not_found", "chain_broken"),
    ("invalid_encrypted_content", "replay_mismatch"),
    ("rate_limit_exceeded", "rate_limit"),
    ("too_many_requests", "rate_limit"),
    ("insufficient_quota", "usage_limit"),
    ("billing_hard_limit_reached", "usage_limit"),
    ("invalid_api_key", "auth"),
    ("server_error", "server"),
    # Google
    ("INVALID_ARGUMENT", "invalid_request"),
    ("FAILED_PRECONDITION", "invalid_request"),
    ("UNAUTHENTICATED", "auth"),
    ("PERMISSION_DENIED", "permission"),
    ("NOT_FOUND", "model_not_found"),
    ("RESOURCE_EXHAUSTED", "rate_limit"),
    ("INTERNAL", "server"),
    ("UNAVAILABLE", "unavailable"),
    ("DEADLINE_EXCEEDED", "timeout"),
    ("CANCELLED", "transport"),
    # Bedrock
    ("validationException", "invalid_request"),
    ("AccessDeniedException", "permission"),
    ("UnrecognizedClientException", "auth"),
    ("ExpiredTokenException", "auth"),
    ("ResourceNotFoundException", "model_not_found"),
    ("modelTimeoutException", "timeout"),
    ("ModelErrorException", "server"),
    ("modelStreamErrorException", "server"),
    ("throttlingException", "rate_limit"),
    ("ModelNotReadyException", "rate_limit"),
    ("internalServerException", "server"),
    ("serviceUnavailableException", "unavailable"),
    # Gateways
    ("provider_disabled", "provider_disabled"),
    ("api_connection_error", "transport"),
    ("model_context_window_exceeded", "context_too_large"),
    ("context_window_exceeded", "context_too_large"),
    ("context_size_exceeded", "context_too_large"),
    ("model_max_prompt_tokens_exceeded", "context_too_large"),
    ("exceed_context_size_error", "context_too_large"),
    ("image_content_policy_violation", "content_filter"),
    ("moderation_blocked", "content_filter"),
    ("cyber_policy_violation", "content_filter"),
    ("invalid_model", "model_not_found"),
    ("unsupported_model", "model_not_found"),
    ("api_key_invalid", "auth"),
    ("invalidSignatureException", "auth"),
    ("serviceQuotaExceededException", "rate_limit"),
    ("unprocessable_entity", "invalid_request"),
    ("internal_error", "server"),
    ("aborted", "server"),
    # Nobody has told us of these; they are made of words that we know.
    ("monthly_quota_exceeded", "usage_limit"),
    ("upstream_gateway_timeout", "timeout"),
]


@proves("model-layer", 141)
@pytest.mark.parametrize(("code", "fault"), CODES)
def test_a_code_in_the_middle_of_a_stream_says_what_it_is(code: str, fault: str) -> None:
    by_code = failures.in_stream(code=code, message="Sorry.")
    by_type = failures.in_stream(type_=code, message="Sorry.")

    assert (by_code.fault, by_type.fault) == (fault, fault)
    assert (by_code.retryable, by_code.status_code) == (FAULTS[fault].retryable, None)


# Text, fault. The kind and whether it is tried again are the table's.
TEXTS = [
    ("overloaded", "overloaded"),
    ("anthropic overloaded_error", "overloaded"),
    ("insufficient_quota", "usage_limit"),
    ("AI budget of 20 dollars is used up", "usage_limit"),
    ("your organization's monthly spend limit was reached", "usage_limit"),
    ("Your credit balance is too low to access the API.", "usage_limit"),
    ("You have reached your specified API usage limits.", "usage_limit"),
    ("You are out of credits", "usage_limit"),
    ("quota", "usage_limit"),
    ("billing", "usage_limit"),
    ("payment required", "usage_limit"),
    ("authentication", "auth"),
    ("unauthorized", "auth"),
    ("invalid api key", "auth"),
    ("invalid_api_key", "auth"),
    ("Incorrect API key provided", "auth"),
    ("API key not valid. Please pass a valid API key.", "auth"),
    ("ExpiredTokenException: no", "auth"),
    ("The security token included in the request is expired", "auth"),
    ("forbidden", "permission"),
    ("rate limit", "rate_limit"),
    ("rate_limit", "rate_limit"),
    ("rate limited", "rate_limit"),
    ("rate-limited", "rate_limit"),
    ("rate_limit_error", "rate_limit"),
    ("too many requests", "rate_limit"),
    ("provider_disabled", "provider_disabled"),
    ("timeout", "timeout"),
    ("timed out", "timeout"),
    ("gateway timeout", "timeout"),
    ("service unavailable", "unavailable"),
    ("unavailable", "unavailable"),
    ("bad gateway", "unavailable"),
    ("connection reset", "transport"),
    ("connection refused", "transport"),
    ("unexpected EOF", "transport"),
    ("broken pipe", "transport"),
    ("invalid model", "model_not_found"),
    ("model not found", "model_not_found"),
    ("model_not_found", "model_not_found"),
    ("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
    ("unsupported model", "model_not_found"),
    ("malformed config", "model_not_found"),
    ("malformed configuration", "model_not_found"),
    ("failed to resolve AWS credentials", "credentials"),
    ("context length exceeded", "context_too_large"),
    ("context_exceeded", "context_too_large"),
    ("maximum context length", "context_too_large"),
    ("Your input exceeds the context window of this model.", "context_too_large"),
    ("Input is too long for requested model.", "context_too_large"),
    ("The context window is full", "context_too_large"),
    ("previous_response_not_found", "chain_broken"),
    ("HTTP_1_1_REQUIRED", "protocol"),
    ("server error", "server"),
    ("internal server error", "server"),
    ("The response was filtered due to Azure OpenAI's content management policy.", "content_filter"),
    ("your prompt was flagged as potentially violating our usage policy", "content_filter"),
    ("Previous response with id 'resp_1' not found.", "chain_broken"),
    ("the chat was interrupted", "interrupted"),
    ("request interrupted by a user", "interrupted"),
    ("operation was interrupted", "interrupted"),
    ("something else", "unknown"),
]


@proves("errors", 2, 4, 13)
@proves("model-layer", 141)
@pytest.mark.parametrize(("text", "fault"), [*TEXTS, ("authentication failed: invalid model", "auth")])
def test_a_text_alone_says_what_it_is(text: str, fault: str) -> None:
    for written in (text, text.upper(), f"({text})"):
        known = told(written)

        assert known.fault == fault
        assert (known.kind, known.retryable) == (FAULTS[fault].kind, FAULTS[fault].retryable)
        assert known.status_code is None


@pytest.mark.parametrize(
    "text",
    [
        "an unoverloaded operator",
        "the tool get_billing is unknown",
        "underbilling",
        "quotation",
        "geofence",
        "malformed configurator",
        "unforbidden",
        "a pirate limitation",
        "cancellation",
    ],
)
def test_a_word_within_another_word_says_nothing(text: str) -> None:
    assert told(text).fault == "unknown"


@proves("errors", 3)
@pytest.mark.parametrize(
    "text",
    [
        "anthropic stream closed before message_stop",
        "openai responses stream closed before terminal event",
        "status 500: openai responses stream closed before terminal event",
    ],
)
def test_a_stream_that_a_gateway_saw_closing_early_is_tried_again(text: str) -> None:
    known = told(text)

    assert (known.fault, known.kind, known.retryable) == ("incomplete_stream", "timeout", True)
    assert known.message == "The AI provider closed the connection before it had finished."


@proves("errors", 1)
def test_a_status_in_a_text_counts() -> None:
    known = told("status 529 from upstream")

    assert (known.kind, known.retryable, known.provider, known.status_code) == ("overloaded", True, None, 529)


@proves("errors", 5)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("invalid model", "config"),
        # A kind of its own with us: the agent sums up instead of giving up.
        ("forbidden: context length exceeded", "context_too_large"),
        ("forbidden", "auth"),
        ("status 401", "auth"),
        ("status 403", "auth"),
    ],
)
def test_a_weak_word_yields_to_what_is_set_wrongly(text: str, kind: str) -> None:
    assert (told(text).kind, told(text).retryable) == (kind, False)


@proves("errors", 6)
def test_a_budget_that_is_used_up_is_no_question_of_the_key() -> None:
    sentence = "AI budget of 20 dollars for this month is used up"

    assert told(f"status 403: {sentence}").kind == "usage_limit"
    assert answered(403, f"{sentence}\n".encode(), "text/plain").kind == "usage_limit"
    assert answered(429, error(sentence)).kind == "usage_limit"


def test_a_budget_that_cannot_be_looked_up_is_tried_again() -> None:
    known = answered(500, b"failed to check the AI budget: database is locked", "text/plain")

    assert (known.kind, known.retryable) == ("generic", True)


@proves("errors", 8)
@pytest.mark.parametrize(
    ("text", "kind"),
    [("429", "rate_limit"), ("429: invalid model", "config"), ("429: invalid model quota", "config")],
)
def test_a_wrong_model_is_not_tried_again_however_busy_the_provider_is(text: str, kind: str) -> None:
    assert (told(text).kind, told(text).status_code) == (kind, 429)


@proves("errors", 9)
@proves("model-layer", 142)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("service unavailable", "timeout"),
        ("503: invalid model", "config"),
        ("service unavailable: model not found", "config"),
        ("connection refused: unsupported model", "config"),
        ("internal server error: malformed config", "config"),
    ],
)
def test_a_wrong_model_is_not_tried_again_whatever_the_gateway_says(text: str, kind: str) -> None:
    assert (told(text).kind, told(text).retryable) == (kind, kind == "timeout")


@proves("errors", 12)
@pytest.mark.parametrize(
    "known",
    [
        told("503: provider_disabled"),
        failures.in_stream(code="provider_disabled", message="No.", status=503),
        answered(503, {"error": {"code": "provider_disabled", "message": "Switched off."}}),
        answered(503, {"error": "provider_disabled"}),
        answered(503, b"provider_disabled: ask your administrator", "text/plain", provider="somebody"),
    ],
)
def test_a_provider_that_was_switched_off_only_looks_as_if_it_were_down(
    known: ProviderError,
) -> None:
    assert (known.kind, known.retryable, known.status_code) == ("provider_disabled", False, 503)
    assert answered(503, {"error": "provider_down"}).kind == "timeout"


@proves("errors", 14)
@pytest.mark.parametrize(
    "text",
    [
        "http2: client connection lost",
        "http2: client connection force closed via ClientConn.Close",
        "http2: client conn is closed",
        "http2: client conn not usable",
        "http2: server sent GOAWAY and closed the connection; LastStreamID=1999",
        "http2: stream closed",
        "read tcp 10.0.0.1:443: use of closed network connection",
        "stream error: stream ID 5; INTERNAL_ERROR; received from peer",
        "stream error: stream ID 5; REFUSED_STREAM; received from peer",
        "stream error: stream ID 5; CANCEL; received from peer",
        "stream error: stream ID 5; ENHANCE_YOUR_CALM; received from peer",
        "stream error: stream ID 5; NO_ERROR; received from peer",
    ],
)
def test_a_connection_that_broke_behind_a_gateway_is_tried_again(text: str) -> None:
    for known in (failures.named(told(text), "openai"), answered(500, error(text), provider="openai")):
        assert (known.fault, known.kind, known.retryable) == ("transport", "timeout", True)
        assert (known.provider, known.message) == ("openai", "The connection to OpenAI failed.")


@pytest.mark.parametrize(
    "code", ["PROTOCOL_ERROR", "FLOW_CONTROL_ERROR", "FRAME_SIZE_ERROR", "COMPRESSION_ERROR"]
)
def test_a_connection_that_would_break_again_is_not_tried_again(code: str) -> None:
    known = told(f"stream error: stream ID 5; {code}; received from peer; connection reset")

    assert (known.fault, known.retryable) == ("protocol", False)


def test_a_reset_that_did_not_come_from_the_other_side_is_not_tried_again() -> None:
    assert told("stream error: stream ID 5; INTERNAL_ERROR").retryable is False


@proves("errors", 16)
@proves("model-layer", 142)
def test_the_number_of_a_stream_is_no_status() -> None:
    reset = told("stream error: stream ID 401; CANCEL; received from peer")
    later = told("stream error: stream ID 401; CANCEL; received from peer: status 429")

    assert (reset.fault, reset.status_code) == ("transport", None)
    assert (later.fault, later.status_code) == ("rate_limit", 429)


@proves("errors", 18)
@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (told("unauthorized: quota is used up"), "usage_limit"),
        (answered(401, error("Your quota is used up.")), "usage_limit"),
        (told("unauthorized"), "auth"),
        (
            answered(
                429,
                error(
                    "You exceeded your current quota, please check your plan and billing details.",
                    type="insufficient_quota",
                    param=None,
                    code="insufficient_quota",
                ),
            ),
            "usage_limit",
        ),
    ],
)
def test_an_empty_account_beats_a_rejected_key(known: ProviderError, kind: str) -> None:
    assert (known.kind, known.retryable) == (kind, False)


@proves("errors", 19)
@proves("model-layer", 142)
@pytest.mark.parametrize(
    ("message", "more"),
    [
        ("Quota exceeded for quota metric 'Generate Content API requests'", {"status": "RESOURCE_EXHAUSTED"}),
        ("You exceeded your current quota, please check your plan and billing details.", {"code": 429}),
        ("Requests have exceeded call rate limit of your current pricing tier. Increase your quota", {}),
        ("You have reached the usage limit of your plan", {}),
    ],
)
def test_where_requests_are_counted_a_quota_is_only_their_number(message: str, more: dict[str, str]) -> None:
    limited = answered(429, error(message, **more))
    exhausted = answered(429, error(message, type="insufficient_quota"))

    assert (limited.kind, limited.retryable) == ("rate_limit", True)
    assert (exhausted.kind, exhausted.retryable) == ("usage_limit", False)


@proves("errors", 20)
def test_a_quota_that_only_the_body_names_counts() -> None:
    assert (
        answered(403, {"error": {"message": "No."}, "reason": "the quota is used up"}).kind == "usage_limit"
    )


@proves("model-layer", 142)
def test_a_history_that_is_too_long_is_that_whatever_the_status() -> None:
    known = answered(403, error("This model's maximum context length is 8192 tokens."))

    assert (known.fault, known.kind, known.context_max) == ("context_too_large", "context_too_large", 8192)


@proves("errors", 28)
@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("The model is overloaded.", "overloaded"),
        ("authentication failed", "auth"),
        ("invalid model", "config"),
        ("upstream timed out", "timeout"),
        ("failed to resolve AWS credentials", "config"),
        ("Something happened.", "generic"),
    ],
)
def test_a_gateway_that_calls_everything_its_own_error_is_read_more_closely(words: str, kind: str) -> None:
    for known in (
        answered(500, words.encode(), "text/plain"),
        answered(500, error(words)),
        answered(500, {"Message": words}, headers={"x-amzn-errortype": "Exception:http://aws"}),
    ):
        assert known.kind == kind
        assert known.detail == words


REPLAYS = [
    "No tool output found for function call call_abc123.",
    "Item 'rs_68a1' of type 'reasoning' was provided without its required following item.",
    "Item 'fc_68a1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_68a1'.",
    "Item with id 'rs_68a1' not found. Items are not persisted when `store` is set to false.",
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_68a1",
    "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_68a1",
    "`web_search_tool_result` block srvtoolu_68a1 without a corresponding `server_tool_use` block",
    "messages.5.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`",
    "Function call is missing a thought_signature in functionCall parts. call_abc123",
    "Please ensure that function call turn comes immediately after a user turn. call_abc123",
    "Please ensure that function response turn comes immediately after a function call turn. call_abc123",
    "Please ensure that the number of function response parts is equal to the number of calls. call_abc123",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to call_abc123",
    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'. call_abc123",
    "The encrypted content gAAA could not be verified. rs_68a1",
    "`thinking` or `redacted_thinking` blocks in the latest message cannot be modified. call_abc123",
]


@proves("errors", 29)
@pytest.mark.parametrize("text", REPLAYS)
def test_a_history_that_does_not_fit_together_is_named_without_its_pieces(text: str) -> None:
    for known in (told(text), answered(400, error(text)), answered(500, text.encode(), "text/plain")):
        assert (known.fault, known.kind, known.retryable) == ("replay_mismatch", "generic", False)
        assert known.detail == failures.REPLAY_DETAIL
        assert "not about billing" in known.message


def test_a_key_with_an_invalid_signature_is_a_question_of_the_key() -> None:
    assert answered(401, error("invalid signature")).fault == "auth"


def test_a_code_beats_a_number_that_merely_stands_in_the_sentence() -> None:
    known = failures.in_stream(type_="invalid_request_error", message="max_tokens: 429 is more than 401")

    assert (known.fault, known.status_code) == ("invalid_request", None)


@pytest.mark.parametrize("status", [400, 405, 422])
@pytest.mark.parametrize("words", ["timeout must be positive", "rate limit", "the tool server error", "eof"])
def test_a_request_that_was_wrong_stays_wrong_whatever_it_was_about(status: int, words: str) -> None:
    known = answered(status, error(words))

    assert (known.fault, known.retryable, known.detail) == ("invalid_request", False, words)


def test_a_code_beats_the_words_around_it() -> None:
    known = failures.in_stream(type_="invalid_request_error", message="timeout must be positive")

    assert (known.fault, known.retryable) == ("invalid_request", False)


@pytest.mark.parametrize(("code", "status"), [("429", 429), ("0429", None), ("99", None), ("٤٢٩", None)])
def test_a_code_may_be_a_status(code: str, status: int | None) -> None:
    assert failures.in_stream(code=code, message="Sorry.").status_code == status


def test_a_status_that_is_none_is_not_believed() -> None:
    assert failures.in_stream(message="Sorry.", status=7).status_code is None
    assert failures.in_stream(message="Sorry.", status=0).status_code is None


def test_what_a_user_wrote_says_nothing_about_the_failure() -> None:
    body = {"detail": [{"loc": ["body"], "msg": "Not a number", "input": "My server is overloaded: quota!"}]}

    assert (answered(422, body).fault, answered(422, body).detail) == ("invalid_request", "Not a number")


@proves("errors", 11)
@proves("model-layer", 144)
def test_a_cancellation_by_the_other_side_is_tried_again_and_any_other_is_not() -> None:
    assert (told("CANCEL; received from peer").kind, told("CANCEL; received from peer").retryable) == (
        "timeout", True,
    )  # fmt: skip
    assert (told("context canceled").kind, told("context canceled").retryable) == ("generic", False)
    assert (told("status 500: context canceled").kind, told("status 500: context canceled").retryable) == (
        "generic", True,
    )  # fmt: skip


def test_every_rule_leads_to_a_fault_that_has_a_meaning() -> None:
    assert [fault for fault, _ in RULES if fault not in FAULTS] == []


def test_what_is_unknown_is_counted() -> None:
    before = failures.UNCLASSIFIED.labels("")._value.get()
    told("Out of cheese.")

    assert failures.UNCLASSIFIED.labels("")._value.get() == before + 1
