"""Messages as Bedrock wraps them."""

import base64
import json
import struct
import zlib

from tests.providers.dialects.anthropic.streams import Wire


def aws_message(payload: Wire, *, exception: str = "") -> bytes:
    """One message of an AWS event stream: a chunk that holds the event, or an exception."""
    if exception:
        headers = {":message-type": "exception", ":exception-type": exception}
        body = json.dumps(payload).encode()
    else:
        headers = {":message-type": "event", ":event-type": "chunk", ":content-type": "application/json"}
        body = json.dumps({"bytes": base64.b64encode(json.dumps(payload).encode()).decode()}).encode()
    packed = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(packed) + len(body), len(packed))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + packed + body
    return message + struct.pack(">I", zlib.crc32(message))
