"""Which addresses are taken, and how they are written."""

import pytest

from chatd.tools.web.address import URL_CHARACTERS_MAX, BadAddress, Policy, address_of, redirected

PLAIN = Policy()
PAGE = address_of("https://example.org/a/page", PLAIN)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://example.org", "https://example.org/"),
        ("  HTTPS://Example.ORG./a/b?c=d#part\n", "https://example.org/a/b?c=d"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:8443/x", "https://example.org:8443/x"),
        ("https://bücher.example/für?q=ä", "https://xn--bcher-kva.example/f%C3%BCr?q=%C3%A4"),
        ("https://example.org/a%20b?c=%26", "https://example.org/a%20b?c=%26"),
        ("http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"),
        ("http://192.0.2.1/", "http://192.0.2.1/"),
        ("https://example.org?only=query", "https://example.org/?only=query"),
    ],
)
def test_an_address_is_written_in_one_way(written: str, meant: str) -> None:
    assert address_of(written, PLAIN).url == meant
    assert address_of(meant, PLAIN) == address_of(written, PLAIN)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "only URLs that begin"),
        ("example.org/page", "only URLs that begin"),
        ("javascript:alert(1)", "only URLs that begin"),
        ("file:/etc/passwd", "only URLs that begin"),
        ("ftp://example.org/", "only URLs that begin"),
        ("gopher://example.org:70/_GET", "only URLs that begin"),
        ("https://", "names no host"),
        ("https:/example.org", "names no host"),
        ("https://user@example.org/", "user name or a password"),
        ("https://example.org:x@evil.example/", "user name or a password"),
        ("https://example.org\\@evil.example/", "backslashes"),
        ("https://exa mple.org/", "blanks"),
        ("https://example.org/\r\nHost: other", "blanks, control characters"),
        ("https://example.org/\ud800", "blanks, control characters"),
        ("https://2130706433/", "four decimal numbers"),
        ("https://0x7f000001/", "four decimal numbers"),
        ("https://0177.0.0.1/", "four decimal numbers"),
        ("https://127.1/", "four decimal numbers"),
        ("https://127.0.0.0x1/", "four decimal numbers"),
        ("https://①②⑦.⓪.⓪.①①①①/", "four decimal numbers"),
        ("https://exa%6dple.org/", "characters that no host has"),
        ("https://-a-.example/", "characters that no host has"),
        ("https://a..example/", "characters that no host has"),
        ("https://[fe80::1%25eth0]/", "no IPv6 address"),
        ("https://[::1", "no URL"),
        ("https://example.org:25/", "port 25 is none of the web"),
        ("https://example.org:0/", "port 0 is none of the web"),
        ("https://example.org:99999/", "no URL"),
        ("https://example.org:x/", "no URL"),
        ("https://example.org/" + "a" * URL_CHARACTERS_MAX, "more than 2000 characters"),
    ],
)
def test_what_could_be_read_in_two_ways_is_not_taken(url: str, why: str) -> None:
    with pytest.raises(BadAddress, match=why):
        address_of(url, PLAIN)


def test_letters_that_look_like_numbers_are_the_numbers() -> None:
    """As systems read them: the host is judged by what is connected to."""
    assert address_of("https://①②⑦.⓪.⓪.①/", PLAIN).host == "127.0.0.1"
    assert address_of("https://127。0。0。1/", PLAIN).host == "127.0.0.1"


def test_a_site_that_an_administrator_allows_may_have_any_port() -> None:
    allowed = Policy(private_sites=frozenset({"127.0.0.1:3000"}))
    assert address_of("http://127.0.0.1:3000/x", allowed).site == "127.0.0.1:3000"
    with pytest.raises(BadAddress, match="port 3001"):
        address_of("http://127.0.0.1:3001/x", allowed)


@pytest.mark.parametrize(
    ("location", "to"),
    [
        ("/b", "https://example.org/b"),
        ("?c", "https://example.org/a/page?c"),
        ("//other.example/x y", "https://other.example/x%20y"),
        ("http://example.org/", "http://example.org/"),
        ("/f\udcc3\udcbcr", "https://example.org/f%C3%BCr"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_given(location: str, to: str) -> None:
    assert redirected(PAGE, location, PLAIN).url == to


@pytest.mark.parametrize("location", ["file:/etc/passwd", "https://a@b/", "//[", "\x00", "https://h:22/"])
def test_a_redirect_is_checked_like_any_address(location: str) -> None:
    with pytest.raises(BadAddress):
        redirected(PAGE, location, PLAIN)
