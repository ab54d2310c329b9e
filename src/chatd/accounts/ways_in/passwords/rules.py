"""What may be a password (pure): long enough, and nothing that everybody tries first."""

import unicodedata
from functools import cache
from pathlib import Path

from chatd.errors import BadInput

LENGTH_MIN, LENGTH_MAX = 12, 1024

# Of the commonest passwords those that are long enough to be allowed otherwise, in small letters.
COMMON = Path(__file__).parent / "common.txt"


def normalised(password: str) -> str:
    """The same characters, however a keyboard has put them together."""
    return unicodedata.normalize("NFKC", password)


def check_fit(password: str, *, name: str, field: str) -> None:
    """Raises BadInput, in words that do not repeat the password."""
    password = normalised(password)
    if not LENGTH_MIN <= len(password) <= LENGTH_MAX:
        raise _unfit(f"A password has {LENGTH_MIN} to {LENGTH_MAX:,} characters.", field)
    small = password.casefold()
    if small.strip() == name.casefold():
        raise _unfit("The password is the name of the user.", field)
    if small in _common() or len(set(small)) == 1:
        raise _unfit("This is one of the passwords that are tried first.", field)


def _unfit(message: str, field: str) -> BadInput:
    return BadInput(
        "bad_password", message, field=field, hint="Take a few words that nobody else would take."
    )


@cache
def _common() -> frozenset[str]:
    lines = COMMON.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
