"""What browsers meet: the web page, and below which path it is."""

from urllib.parse import urlsplit

import structlog

from chatd.api.page.built import BuiltPage, read_page
from chatd.settings import Settings

log = structlog.get_logger()


def built_page() -> BuiltPage | None:
    """The page that was built; where there is none, the log says how to get it."""
    page = read_page()
    if page is None:
        log.info(
            "page.not_built", hint="Only the API is served. For the web page: make page, with Node.js 20."
        )
    return page


def path_prefix(settings: Settings) -> str:
    return urlsplit(settings.public_url or "").path.rstrip("/")
