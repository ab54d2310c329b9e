"""How Converse says that it is over, and what went wrong (pure)."""

from collections.abc import Mapping
from typing import Final

import msgspec

from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.dialects.converse import frames
from chatd.providers.events import Stop
from chatd.providers.transport.frame_json import FrameDecoder

STOPS: Final[Mapping[str, Stop]] = {
    "end_turn": Stop.DONE,
    "stop_sequence": Stop.DONE,
    "tool_use": Stop.TOOLS,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "guardrail_intervened": Stop.REFUSED,
    "content_filtered": Stop.REFUSED,
}

# The status that each of these has when it comes instead of a stream.
FAULT_STATUSES: Final[Mapping[bytes, int]] = {
    b"validationException": 400,
    b"modelTimeoutException": 408,
    b"modelStreamErrorException": 424,
    b"throttlingException": 429,
    b"internalServerException": 500,
    b"serviceUnavailableException": 503,
}

_faults = FrameDecoder(frames.Fault)


def fault(name: bytes, data: bytes) -> ProviderError:
    try:
        said = _faults.decode(data)
    except msgspec.DecodeError:
        said = frames.Fault()
    status = said.original_status_code or FAULT_STATUSES.get(name)
    kind = name.decode("utf-8", "replace")
    message = said.message or said.loud_message or said.original_message or ""
    return failures.in_stream(code=kind, type_=kind, message=message, status=status)
