"""The page that describes the API to people: for anyone, below any path, and read when it is asked for."""

import gzip
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.api.page.built import read_page
from chatd.api.page.serve import PageResource
from chatd.api.serving.operating.canonical import Canonical
from chatd.api.serving.origins.prefix import Prefixed
from chatd.storage.transactions.transact import Store
from tests.api.client import Client

DOCS = "/api/docs"
SCRIPT = "/assets/docs-4f2a.js"
NOTHING = PlainTextResponse("nothing", 404)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    page = tmp_path / "web"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("the page")
    (page / "docs.html").write_text('<meta content="./"><script src="./assets/docs-4f2a.js"></script>')
    (page / "docs.html.gz").write_bytes(gzip.compress(b"as it was built"))
    (page / "assets" / "docs-4f2a.js").write_text("show()")
    (page / "assets" / "docs-4f2a.js.gz").write_bytes(gzip.compress(b"show()"))
    return page


@pytest.fixture
def app(directory: Path) -> ASGIApp:
    return Canonical(PageResource(read_page(directory), NOTHING, embed_origins=["https://shop.example"]))


async def test_anyone_is_shown_it_and_its_links_lead_to_its_files(app: ASGIApp) -> None:
    document, script = await Client(app).get(DOCS), await Client(app).get(SCRIPT)

    assert (document.status, document.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert document.body == b'<meta content="../"><script src="../assets/docs-4f2a.js"></script>'
    assert (script.status, script.body) == (200, b"show()")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"


async def test_below_a_path_of_a_proxy_it_is_the_same(app: ASGIApp) -> None:
    behind = Client(Prefixed(app, "/chatd"))

    assert (await behind.get(f"/chatd{DOCS}")).body == (await Client(app).get(DOCS)).body


async def test_it_has_the_policy_of_the_page_and_is_in_no_frame_of_others(app: ASGIApp) -> None:
    policy = (await Client(app).get(DOCS)).headers["content-security-policy"]

    assert "script-src 'self'; style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy


async def test_nothing_of_it_is_read_before_it_is_asked_for(directory: Path) -> None:
    page = read_page(directory)
    assert page is not None
    assert list(page.files) == []
    client = Client(Canonical(PageResource(page, NOTHING)))
    (directory / "docs.html").write_text("newer")

    assert (await client.get(DOCS)).body == b"newer"
    (directory / "docs.html").write_text("newest")
    assert (await client.get(DOCS)).body == b"newer"


@pytest.mark.parametrize(
    "path", ["/api/docs/", "/api/docs/x", "/docs.html", "/assets/docs-other.js", "/assets/docs-"]
)
async def test_what_is_not_there_is_not_it(app: ASGIApp, path: str) -> None:
    assert (await Client(app).get(path)).body == b"nothing"


async def test_without_the_page_a_sentence_says_where_the_description_is(store: Store) -> None:
    answer = await Client(build(store)).get(DOCS)

    assert (answer.status, answer.headers["content-type"]) == (404, "text/plain; charset=utf-8")
    assert answer.body.decode().endswith("The one for programs is at /api/v1/openapi.json.\n")


async def test_a_page_that_was_built_without_it_says_the_same(directory: Path) -> None:
    (directory / "docs.html").unlink()
    client = Client(Canonical(PageResource(read_page(directory), NOTHING)))

    assert (await client.get(DOCS)).status == 404
    assert (await client.get(SCRIPT)).body == b"nothing"
