"""The documentation as a site: the real one is built once, and small ones with a mistake are refused."""

from pathlib import Path

import pytest

from tests.house.repository import ROOT
from tools.docs_site.building import build
from tools.docs_site.links import wrong_links
from tools.docs_site.navigation import Wrong, read

NAVIGATION = '[[section]]\nname = "More"\npage = "more.md"\n'
START = "# Start\n\n[More](more.md)\n"
MORE = "# More\n\n## A part\n"


def test_it_is_built_without_a_warning_every_link_leads_somewhere_and_the_search_needs_no_server(
    tmp_path: Path,
) -> None:
    site = tmp_path / "site"
    build(ROOT, site, tmp_path / "working")

    assert wrong_links(site) == []
    # A script that a page loads from beside itself, and not data that would have to be fetched.
    index = (site / "searchindex.js").read_text()
    assert index.startswith("Search.setIndex(")
    assert '"howto/approve-calls"' in index
    # What pages link to in the repository is a part of the site.
    copied = site / "files/deploy/systemd/chatd.service.txt"
    assert copied.read_text() == (ROOT / "deploy/systemd/chatd.service").read_text()


def pages(root: Path, **texts: str) -> Path:
    written = {"navigation.toml": NAVIGATION, "index.md": START, "more.md": MORE}
    (root / "docs").mkdir()
    for name, text in (written | texts).items():
        (root / "docs" / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("[x](more.md#no-such-part)", "local id not found in doc 'more': 'no-such-part'"),
        ("[x](#no-such-part)", "target not found: 'no-such-part'"),
        ("[x](nowhere.md)", "docs/index.md: nowhere.md is no page of the site, and no file."),
        ("![x](nowhere.png)", "docs/index.md: nowhere.png is no page of the site, and no file."),
        ("[x](..)", "docs/index.md: .. is no page of the site, and no file."),
        ("[x](../../../../etc/hosts)", "hosts is no page of the site, and no file."),
        ('<img src="https://example.com/x.png">', "index.html: asks another host"),
        ("[x](http://chatd.dev/)", "index.html: http://chatd.dev/ is without TLS."),
        ("[x](https://chatd/)", "index.html: https://chatd/ names no host."),
        ("```thon\n```", "Pygments lexer name 'thon' is not known"),
    ],
)  # fmt: skip
def test_a_page_with_a_mistake_is_refused(tmp_path: Path, text: str, mistake: str) -> None:
    root = pages(tmp_path, **{"index.md": f"{START}\n{text}\n"})

    with pytest.raises(Wrong) as refused:
        build(root, tmp_path / "site", tmp_path / "working")

    assert mistake in str(refused.value)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("name", "text", "mistake"),
    [
        ("orphan.md", "# Orphan\n", "docs/orphan.md is not listed."),
        ("navigation.toml", NAVIGATION + 'pages = ["gone.md"]', "docs/gone.md is listed, and is not there."),
        ("navigation.toml", NAVIGATION + 'pages = ["more.md"]', "docs/more.md is listed 2 times."),
    ],
)
def test_a_page_that_is_not_listed_exactly_once_is_refused(
    tmp_path: Path, name: str, text: str, mistake: str
) -> None:
    root = pages(tmp_path, **{name: text})

    with pytest.raises(Wrong, match=mistake):
        read(root)


def test_a_page_that_no_other_links_to_is_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="more.html">More</a>')
    (tmp_path / "more.html").write_text('<a href="index.html#top">Start</a>')
    (tmp_path / "lonely.html").write_text("")

    assert wrong_links(tmp_path) == [
        "more.html: index.html#top names an anchor that index.html does not have.",
        "lonely.html: no page links to it.",
    ]


def test_links_in_code_stay_and_code_in_links_does_not_hide_them(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("print()\n")
    text = f"{START}\n[`shop.py`](../shop.py) and `[x](nowhere.md)`\n"
    build(pages(tmp_path, **{"index.md": text}), tmp_path / "site", tmp_path / "working")

    built = (tmp_path / "site/index.html").read_text()

    assert '<a href="files/shop.py.txt"><code' in built
    assert "[x](nowhere.md)" in built
