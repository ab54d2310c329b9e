"""Answers what is no path of the API: files of the web page, and its document at every other address."""

from collections.abc import Collection, Mapping
from functools import partial

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from chatd.api.page.built import HASHED, BuiltPage, is_of_docs
from chatd.api.page.docs import DOCS, NO_DOCS, read_docs
from chatd.api.page.headers import GUEST_PAGE, OF_GUESTS, page_headers
from chatd.api.serving.assets import NOT_MODIFIED, Asset, form_for
from chatd.api.serving.operating.canonical import line_of
from chatd.api.serving.origins.cors import API
from chatd.kit.concurrency.once import Once

READING = frozenset({"GET", "HEAD"})
NO_HEADERS: Mapping[str, str] = {}

NO_PAGE = (
    "chatd is running; its API is below /api/v1/. The web page was not built in this installation: install "
    "Node.js 20.19 or newer and run `make serve` in a checkout of chatd, or install chatd from a wheel.\n"
)


class PageResource:
    def __init__(
        self, page: BuiltPage | None, otherwise: ASGIApp, *, embed_origins: Collection[str] = ()
    ) -> None:
        """`otherwise` answers what is neither a file of the page nor an address of it."""
        self._headers = page_headers(embed_origins)
        # What is typed there is a token: it is in no frame of others.
        self._docs_headers = page_headers()
        self._page = page
        self._docs = Once(partial(read_docs, page.directory)) if page is not None else None
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = None
        if scope["type"] == "http" and scope["method"] in READING:
            of_docs = scope["path"] == DOCS or is_of_docs(scope["path"].removeprefix("/"))
            answer = await self._docs_answer(scope) if of_docs else self._answer(scope)
        await (answer or self._otherwise)(scope, receive, send)

    async def _docs_answer(self, scope: Scope) -> Response | None:
        path: str = scope["path"]
        line_of(scope).route = DOCS if path == DOCS else f"/{HASHED}"
        docs = await self._docs.value() if self._docs is not None else None
        if docs is None:
            return Response(NO_DOCS, 404, media_type="text/plain") if path == DOCS else None
        asset = docs.at(path)
        return _sent(asset, Headers(scope=scope), self._docs_headers) if asset is not None else None

    def _answer(self, scope: Scope) -> Response | None:
        path: str = scope["path"]
        headers = Headers(scope=scope)
        if self._page is None:
            return Response(NO_PAGE, media_type="text/plain") if path == "/" else None
        name = path.removeprefix("/")
        asset = self._page.files.get(name)
        if asset is None and is_address_of_page(path, headers):
            asset = _document_at(self._page, scope)
        if asset is None:
            return None
        line_of(scope).route = f"/{HASHED}" if name.startswith(HASHED) else "/"
        for_guests = path.rstrip("/") == GUEST_PAGE
        return _sent(asset, headers, self._headers, OF_GUESTS if for_guests else NO_HEADERS)


def is_address_of_page(path: str, headers: Headers) -> bool:
    """Whether a person goes there with a browser. A program that asks for what is not there gets a 404."""
    if path == "/":
        return True
    # What is below the API is never the page, so that a program that errs is told so in JSON.
    return "text/html" in headers.get("accept", "") and not path.startswith((API, f"/{HASHED}"))


def _document_at(page: BuiltPage, scope: Scope) -> Asset | None:
    """For the browser each slash is a step down, also one after which nothing comes; `%2F` is none."""
    depth = scope["raw_path"].count(b"/") - 1
    return page.documents[depth] if 0 <= depth < len(page.documents) else None


def _sent(
    asset: Asset, headers: Headers, always: Mapping[str, str], besides: Mapping[str, str] = NO_HEADERS
) -> Response:
    form = form_for(asset, headers)
    about = {**always, **form.headers, **besides}
    if form.status == NOT_MODIFIED:
        return Response(status_code=form.status, headers=about)
    return Response(form.data, form.status, about, asset.media_type)
