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
from chatd.errors import Unusable
from chatd.storage.transactions.transact import Store
from tests.api.client import Answer, Client

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SCRIPT = "/assets/index-4f2a.js"
DOCUMENT = """<!doctype html><meta name="chatd-base" content="./">
<script type="module" src="./assets/index-4f2a.js"></script><a href="#top">top</a>"""

NOTHING = PlainTextResponse("nothing", 404)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    page = tmp_path / "web"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text(DOCUMENT)
    (page / "favicon.svg").write_text("<svg/>")
    (page / "assets" / "index-4f2a.js").write_text("start()")
    (page / "assets" / "index-4f2a.js.br").write_bytes(b"brotli")
    (page / "assets" / "index-4f2a.js.gz").write_bytes(gzip.compress(b"start()"))
    return page


@pytest.fixture
def app(directory: Path) -> ASGIApp:
    return Canonical(PageResource(read_page(directory), NOTHING))


@pytest.fixture
def browser(app: ASGIApp) -> Client:
    return Client(app)


async def go_to(browser: Client, path: str) -> Answer:
    return await browser.ask("GET", path, headers=BROWSER)


@pytest.mark.parametrize(
    ("path", "up"),
    [
        ("/", "./"),
        ("/sign-in", "./"),
        ("/chats/7", "../"),
        ("/chats/", "../"),
        ("/settings/models/a%2Fb", "../../"),
    ],
)
async def test_the_document_finds_its_files_from_every_address(browser: Client, path: str, up: str) -> None:
    answer = await go_to(browser, path)

    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.body.decode() == DOCUMENT.replace("./", up)


async def test_the_document_is_asked_for_each_time_and_sent_when_it_has_changed(browser: Client) -> None:
    first = await go_to(browser, "/")
    again = await browser.ask(
        "GET", "/", headers={**BROWSER, "if-none-match": f'"x", W/{first.headers["etag"]}'}
    )

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize("path", ["/s", "/s/"])
async def test_the_page_of_guests_is_kept_by_nobody_and_found_by_no_search_engine(
    browser: Client, path: str
) -> None:
    headers = (await go_to(browser, path)).headers

    assert headers["cache-control"] == "no-store"
    assert headers["x-robots-tag"] == "noindex, nofollow"
    assert headers["referrer-policy"] == "no-referrer"
    others = (await go_to(browser, "/sign-in")).headers
    assert ("x-robots-tag" in others, others["cache-control"]) == (False, "no-cache")


async def test_a_file_whose_name_has_its_hash_is_kept_for_ever(browser: Client) -> None:
    answer = await browser.get(SCRIPT)

    assert answer.body == b"start()"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (await browser.get("/favicon.svg")).headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br;q=0.0,gzip; q=0", None),
        ("identity", None),
        ("", None),
    ],
)
async def test_a_file_is_sent_in_the_best_form_that_the_browser_takes(
    browser: Client, accepted: str, coding: str | None
) -> None:
    answer = await browser.ask("GET", SCRIPT, headers={"accept-encoding": accepted})

    bodies = {"br": b"brotli", "gzip": gzip.compress(b"start()"), None: b"start()"}
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.body[10:] == bodies[coding][10:]


async def test_each_form_of_a_file_has_a_tag_of_its_own(browser: Client) -> None:
    forms = [
        await browser.ask("GET", SCRIPT, headers={"accept-encoding": each}) for each in ("br", "gzip", "")
    ]

    assert len({form.headers["etag"] for form in forms}) == 3


async def test_nothing_of_other_hosts_and_nothing_inline_is_allowed(browser: Client) -> None:
    for path in ("/", SCRIPT):
        headers = (await go_to(browser, path)).headers
        policy = dict(each.split(" ", 1) for each in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert {policy[kind] for kind in ("script-src", "style-src", "connect-src", "font-src")} == {"'self'"}
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "microphone=()" in headers["permissions-policy"]


async def test_only_pages_that_the_settings_name_may_show_it_in_a_frame(
    directory: Path, browser: Client
) -> None:
    origins = ("https://b.example", "https://a.example")
    framed = Canonical(PageResource(read_page(directory), NOTHING, embed_origins=origins))

    alone = (await go_to(browser, "/")).headers
    shown = (await go_to(Client(framed), "/")).headers

    assert "frame-ancestors 'none'" in alone["content-security-policy"]
    assert alone["x-frame-options"] == "DENY"
    assert "frame-ancestors https://a.example https://b.example" in shown["content-security-policy"]
    assert "x-frame-options" not in shown


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing",
        "/assets/index-0000.js",
        "/assets/../index.html",
        "/a/b/c/d/e/f/g/h/i/j",
        "/assets/index-4f2a.js.br",
    ],
)
async def test_what_is_no_part_of_the_page_is_not_the_page(browser: Client, path: str) -> None:
    assert (await go_to(browser, path)).body == b"nothing"


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt"])
async def test_no_path_leads_out_of_the_page(browser: Client, directory: Path, path: str) -> None:
    (directory.parent / "secret.txt").write_text("secret")

    assert "secret" not in (await browser.get(path)).body.decode()


async def test_links_are_not_followed(directory: Path) -> None:
    (directory.parent / "secret.txt").write_text("secret")
    (directory / "link.txt").symlink_to(directory.parent / "secret.txt")
    (directory / "up").symlink_to(directory.parent)

    page = read_page(directory)

    assert page is not None
    assert set(page.files) == {"favicon.svg", "assets/index-4f2a.js"}


async def test_a_program_that_asks_for_what_is_not_there_is_told_so(browser: Client) -> None:
    assert (await browser.get("/chats/7")).body == b"nothing"
    assert (await browser.ask("POST", "/", headers=BROWSER)).body == b"nothing"


def test_a_directory_that_is_no_page_is_refused(directory: Path) -> None:
    with pytest.raises(Unusable, match="no web page of chatd"):
        read_page(directory, files_max=2)


@pytest.mark.parametrize("path", ["/chats/7", "/some/agents/chats/7"])
async def test_the_page_is_served_below_a_prefix_that_the_proxy_keeps_or_removes(
    app: ASGIApp, path: str
) -> None:
    browser = Client(Prefixed(app, "/some/agents"))

    assert (await go_to(browser, path)).body.decode() == DOCUMENT.replace("./", "../")
    assert (await browser.get(f"/some/agents{SCRIPT}")).body == b"start()"


async def test_the_prefix_itself_leads_to_the_page_with_a_slash(app: ASGIApp) -> None:
    answer = await go_to(Client(Prefixed(app, "/some/agents")), "/some/agents")

    assert (answer.status, answer.headers["location"]) == (308, "agents/")


async def test_without_a_built_page_the_server_says_how_to_get_it(store: Store, tmp_path: Path) -> None:
    browser = Client(build(store, page=read_page(tmp_path)))

    answer = await go_to(browser, "/")

    assert answer.status == 200
    assert "make serve" in answer.body.decode()
    assert (await go_to(browser, "/chats/7")).error["code"] == "path_not_found"


async def test_the_api_is_where_it_was_beside_the_page(store: Store, directory: Path) -> None:
    browser = Client(build(store, page=read_page(directory), path_prefix="/agents"))

    assert (await go_to(browser, "/")).body.decode() == DOCUMENT
    assert (await browser.get("/agents/healthz")).json == {"status": "ok"}
    assert (await go_to(browser, "/api/v1/nothing")).error["code"] == "path_not_found"
    assert (await browser.get("/api/v1/chats")).status == 401


@pytest.mark.parametrize("path", ["/", "/api/docs"])
async def test_a_worker_says_that_it_is_one_and_where_the_rest_is(store: Store, path: str) -> None:
    answer = await Client(build(store, only_works=True)).get(path)

    assert answer.status == 404
    assert answer.error["hint"].startswith("This is a worker.")
