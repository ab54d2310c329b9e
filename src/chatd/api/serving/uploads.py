"""A file that is sent: as the body itself, or as the one file of a form. Both are checked alike then."""

from collections.abc import Callable
from io import BytesIO

from msgspec import Struct
from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from chatd.api.serving.intake import read_body, receive_body, too_large
from chatd.errors import BadInput
from chatd.kit.disposition import HEADER_LENGTH_MAX, parameters_of

FORM = "multipart/form-data"
# What the part of a form is called that has the file.
FIELD = "file"
# Of what is around the file: two boundaries, and headers.
FORM_BYTES_MAX = 16 * 1024
BOUNDARY_LENGTH_MAX = 70
HEADERS_MAX = 8
# Places in the file that look like the end of it, and are not. By its rules a form has none; each costs the
# parser as much as a hundred other bytes, and ten mebibytes have room for two millions.
FALSE_ENDS_MAX = 100

# How the bytes of a part may travel; forms have no others.
_AS_THEY_ARE = frozenset({"", "7bit", "8bit", "binary"})


class Upload(Struct, frozen=True, kw_only=True):
    """The file, and what its sender says about it."""

    data: bytes
    media_type: str
    disposition: str


async def read_upload(request: Request, bytes_max: int, *, count: Callable[[int], None]) -> Upload:
    """`bytes_max` is of the file alone. Raises BadInput, BodyTooLarge and BodyTooSlow."""
    content_type = request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != FORM:
        return Upload(
            data=await read_body(request, bytes_max, count=count),
            media_type=content_type,
            disposition=request.headers.get("content-disposition", ""),
        )
    form = _Form(_boundary(content_type), bytes_max)
    await receive_body(request, bytes_max + FORM_BYTES_MAX, form.feed, count=count)
    return form.upload()


def _boundary(content_type: str) -> bytes:
    _, given = parse_options_header(content_type)
    boundary = given.get(b"boundary", b"")
    if not 0 < len(boundary) <= BOUNDARY_LENGTH_MAX:
        raise _malformed(f"its Content-Type has no `boundary` of 1 to {BOUNDARY_LENGTH_MAX} characters")
    return boundary


class _Form:
    """One file. What the parser tells comes in order; whatever is wrong ends the reading of the body."""

    def __init__(self, boundary: bytes, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._parts = 0
        self._headers: dict[str, str] = {}
        self._name, self._value = b"", b""
        self._data = BytesIO()
        self._ended = False
        self._delimiter = b"\r\n--" + boundary
        self._delimiters = 0
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._add_to_name,
                "on_header_value": self._add_to_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._check_headers,
                "on_part_data": self._add_data,
                "on_end": self._end,
            },
            max_header_count=HEADERS_MAX,
            max_header_size=2 * HEADER_LENGTH_MAX,
        )

    def feed(self, data: bytes) -> None:
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise _malformed(str(error)) from error
        # One that is in two pieces is not counted: there are as many pieces as the connection brings.
        self._delimiters += data.count(self._delimiter)
        if self._delimiters > FALSE_ENDS_MAX:
            raise _malformed("its boundary is in its file; choose another one")

    def upload(self) -> Upload:
        if not self._ended:
            raise _malformed("it ends before its last boundary")
        if not self._parts:
            raise _no_file("The form is empty.")
        return Upload(
            data=self._data.getvalue(),
            media_type=self._headers.get("content-type", ""),
            disposition=self._headers["content-disposition"],
        )

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > 1:
            raise BadInput(
                "too_many_in_form",
                "The form has more than one part.",
                hint="Send each file in a form of its own.",
            )

    def _add_to_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _add_to_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        try:
            # Browsers write the names of files in UTF-8.
            name, value = self._name.decode().lower(), self._value.decode()
        except UnicodeDecodeError as error:
            raise _malformed("a header of it is not UTF-8") from error
        if name in self._headers:
            raise _malformed(f"it has the header {name} twice")
        self._headers[name] = value
        self._name, self._value = b"", b""

    def _check_headers(self) -> None:
        """Before anything of the file is kept."""
        given = dict(parameters_of(self._headers.get("content-disposition", "")))
        if given.get("name") != FIELD:
            raise _no_file(f"The form has a part that is not called `{FIELD}`.")
        if not given.keys() & {"filename", "filename*"}:
            raise _no_file(f"`{FIELD}` is a text, and not a file.")
        if self._headers.get("content-type", "").lower().startswith("multipart/"):
            raise _malformed("there is another form in it")
        if self._headers.get("content-transfer-encoding", "").lower() not in _AS_THEY_ARE:
            raise _malformed("its file is encoded")

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        self._data.write(data[start:end])
        if self._data.tell() > self._bytes_max:
            raise too_large(self._bytes_max)

    def _end(self) -> None:
        self._ended = True


def _malformed(why: str) -> BadInput:
    return BadInput("malformed_form", f"The body is not a form with a file: {why}.", field="Content-Type")


def _no_file(message: str) -> BadInput:
    return BadInput(
        "no_file",
        message,
        field=FIELD,
        hint=f"Send one file in the field `{FIELD}`, with its name; or the bytes alone as the body.",
    )
