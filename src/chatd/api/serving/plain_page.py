"""Pages for people whose browser another site has sent here. Text: there is nothing a browser could run."""

from collections.abc import Mapping

from starlette.responses import Response

from chatd.api.bodies import ErrorDetail

MEDIA_TYPE = "text/plain"
# Neither kept, nor told to other sites, nor taken for anything but text.
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def refused(status: int, detail: ErrorDetail, headers: Mapping[str, str]) -> Response:
    """Why it did not work, and what to do about it."""
    lines = ["This did not work.", "", detail.message, *([detail.hint] if detail.hint else [])]
    return Response("\n".join(lines) + "\n", status, headers={**headers, **HEADERS}, media_type=MEDIA_TYPE)
