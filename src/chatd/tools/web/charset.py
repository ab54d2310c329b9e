"""The text of a page, whatever it is encoded in (pure).

A page says itself how it is encoded, and may lie. Only encodings of the web are believed: Python knows
others, some of which unpack archives or run escapes.
"""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping

# How much of a page may come before it says its encoding.
_HEAD_BYTES = 1024
_META = re.compile(rb"""<meta[^>]{0,500}charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)

_BOMS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_CHARACTER_BYTES_MAX = 4
_WESTERN = "cp1252"
_UTF_16 = frozenset({"utf-16-le", "utf-16-be"})

# As the web calls them, and what Python has for it: browsers read the Latin ones as those of Windows.
ENCODINGS: Mapping[str, str] = {
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii"), _WESTERN),
    **dict.fromkeys(("windows-1252", "cp1252", "x-cp1252"), _WESTERN),
    **{f"windows-{number}": f"cp{number}" for number in (874, *range(1250, 1259))},
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **dict.fromkeys(("iso-8859-9", "latin5"), "cp1254"),
    **dict.fromkeys(("iso-8859-11", "tis-620"), "cp874"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "ksc5601"), "cp949"),
    **{name: name for name in ("euc-jp", "iso-2022-jp", "koi8-r", "koi8-u")},
    "macintosh": "mac-roman",
    **dict.fromkeys(("utf-16", "utf-16le"), "utf-16-le"),
    "utf-16be": "utf-16-be",
}


def decoded(data: bytes, charset: str | None, *, is_html: bool = False) -> str:
    """The text. Bytes that fit no character are replaced."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace")
    known = _encoding(charset) or (_declared(data) if is_html else None)
    if known is not None:
        return data.decode(known, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # One that is cut off at the very end is still the same encoding.
        is_cut_off = error.end == len(data) and len(data) - error.start < _CHARACTER_BYTES_MAX
        return data.decode("utf-8" if is_cut_off else _WESTERN, "replace")


def _encoding(name: str | None) -> str | None:
    return ENCODINGS.get((name or "").strip().strip("\"'").lower())


def _declared(data: bytes) -> str | None:
    found = _META.search(data[:_HEAD_BYTES])
    known = _encoding(found.group(1).decode("ascii")) if found is not None else None
    # A page that can be read as ASCII up to here is not in UTF-16, whatever it says.
    return "utf-8" if known in _UTF_16 else known
