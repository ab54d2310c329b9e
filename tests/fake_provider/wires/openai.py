"""What both of OpenAI's wire formats have in common: how they complain."""

from collections.abc import Mapping
from typing import Final

from chatd.domain.part import Json
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.wire import Form

FORMS: Final[Mapping[Fault, Form]] = {
    Fault.BAD_REQUEST: Form(400, "invalid_value"),
    Fault.BAD_KEY: Form(401, "invalid_api_key"),
    Fault.FORBIDDEN: Form(403, "unsupported_country_region_territory"),
    Fault.NO_SUCH_MODEL: Form(404, "model_not_found"),
    Fault.RATE_LIMIT: Form(429, "rate_limit_exceeded"),
    Fault.OVERLOADED: Form(503, "server_is_overloaded"),
    Fault.SERVER: Form(500, "server_error"),
}
_TYPES: Final[Mapping[Fault, str]] = {
    Fault.RATE_LIMIT: "requests",
    Fault.OVERLOADED: "service_unavailable_error",
    Fault.SERVER: "server_error",
}


def openai_error(form: Form, fault: Fault, words: str) -> dict[str, Json]:
    type_ = _TYPES.get(fault, "invalid_request_error")
    return {"message": words, "type": type_, "param": None, "code": form.code}


def openai_complaint(form: Form, complaint: Complaint) -> tuple[dict[str, str], Json]:
    error = openai_error(form, complaint.fault, complaint.words)
    return {"x-request-id": "req_fake"}, {"error": error}
