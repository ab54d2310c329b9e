"""What is kept of a body: what it says, if that can be told without a secret, and else a note (pure)."""

from chatd.domain.part import Json
from chatd.kit.codec import encode_text
from chatd.providers.failures.secrets import HIDDEN as CUT
from chatd.records.files import stream_without_files
from chatd.records.secrets import Hide, parsed, safe_json

BODY_BYTES_MAX = 50_000

# A document in each line.
_LINES = frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl"})
# As they are. Amazon's has a few unreadable bytes between its events.
_STREAMS = frozenset({"text/event-stream", "application/vnd.amazon.eventstream"})
_UNREADABLE = dict.fromkeys(code for code in range(0x20) if chr(code) not in "\n\r\t")


class Body:
    """Bytes as they come; of many, only the beginning is kept."""

    def __init__(self, data: bytes = b"") -> None:
        self.size = 0
        self._portions: list[bytes] = []
        self.add(data)

    def add(self, data: bytes) -> None:
        room = BODY_BYTES_MAX - self.size
        if room > 0:
            self._portions.append(data[:room])
        self.size += len(data)

    @property
    def beginning(self) -> bytes:
        return b"".join(self._portions)


def safe_body(body: Body, content_type: str, hide: Hide) -> Json:
    """A document where the body is one, a text where it is a stream, and a note where it is neither."""
    kind = content_type.partition(";")[0].strip().lower()
    if not body.size:
        return None
    if kind in _STREAMS:
        return _stream(body, hide)
    if body.size > BODY_BYTES_MAX:
        return too_large(body.size)
    if kind in _LINES:
        return _lines(body.beginning, hide)
    try:
        return safe_json(parsed(body.beginning), hide)
    except ValueError:
        return f"[left out: {body.size} bytes of {kind or 'an unknown type'} that are not JSON]"


def too_large(size: int) -> str:
    return f"[left out: {size} bytes, more than {BODY_BYTES_MAX}]"


def _stream(body: Body, hide: Hide) -> str:
    text = stream_without_files(_readable(body.beginning))
    if body.size <= BODY_BYTES_MAX:
        return hide(text)
    return f"{hide(text + CUT)} [left out: {body.size - BODY_BYTES_MAX} more bytes]"


def _lines(data: bytes, hide: Hide) -> str:
    return "\n".join(_line(line, hide) for line in data.decode("utf-8", "replace").splitlines())


def _line(line: str, hide: Hide) -> str:
    if not line.strip():
        return line
    try:
        return encode_text(safe_json(parsed(line), hide))
    except ValueError:
        return f"[left out: a line of {len(line)} characters that is not JSON]"


def _readable(data: bytes) -> str:
    return data.decode("utf-8", "replace").translate(_UNREADABLE)
