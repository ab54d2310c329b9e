"""What the elements of HTML are, as far as it matters for reading a page."""

from collections.abc import Mapping


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Those without an end.
VOID = _names("""
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
""")
# What is in them is not for reading.
LEFT_OUT = _names("""
    applet audio button canvas datalist dialog iframe noembed noframes noscript object script select style
    svg template textarea video xmp
""")
# What is around that for which a page is there; and the same by roles.
NOISE = _names("nav footer aside")
NOISE_ROLES = _names("navigation banner contentinfo search complementary menu dialog")
MAIN = _names("main article")
HEADINGS: Mapping[str, int] = {f"h{level}": level for level in range(1, 7)}
# Before and after these a new block of text begins.
BLOCKS = _names("""
    address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure
    footer form header hgroup html legend main nav p section summary tbody tfoot thead
""")
CODE = _names("code kbd samp tt")
CELLS = _names("td th")

_IN_ROW = _names("td th p")
# What begins closes these, if they are the last that is open: their end need not be written.
IMPLIED_ENDS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys([*BLOCKS, *HEADINGS, "ul", "ol", "table", "pre", "hr"], _names("p")),
    **dict.fromkeys(("tbody", "thead", "tfoot"), _IN_ROW | _names("tr tbody thead tfoot")),
    **dict.fromkeys(("dt", "dd"), _names("dt dd p")),
    **dict.fromkeys(("td", "th"), _IN_ROW),
    "tr": _IN_ROW | {"tr"},
    "li": _names("li p"),
    "body": _names("head"),
}
