"""Thoughts that come in an unusual way (pure)."""

from chatd.domain.part import Json

_OPENING = "<thought>"
_CLOSING = "</thought>"


class Tags:
    """Google marks thoughts twice: by a flag, and by tags around them. The flag is believed, the tags go.

    An answer that begins with such a tag by itself carries no flag, and stays as it is.
    """

    def __init__(self) -> None:
        self._inside = False
        self._at_start = False
        # What may yet turn out to be a tag.
        self._held = ""

    def thought(self, text: str) -> str:
        """A flagged piece, without tags at its borders."""
        if not self._inside:
            self._inside = self._at_start = True
        text = self._held + text
        self._held = ""
        if self._at_start:
            if len(text) < len(_OPENING) and _OPENING.startswith(text):
                self._held = text
                return ""
            self._at_start = False
            text = text.removeprefix(_OPENING)
        return self._without_closing(text)

    def answer(self, text: str) -> tuple[str, str]:
        """A piece without flag: what is still thought, and what is said. A closing tag may come first."""
        if not self._inside:
            return "", text
        whole = self._held + text
        if len(whole) < len(_CLOSING) and _CLOSING.startswith(whole):
            self._held = whole
            return "", ""
        if whole.startswith(_CLOSING):
            self._held = ""
            said = ("", whole.removeprefix(_CLOSING))
        else:
            said = (self.rest(), text)
        self._inside = False
        return said

    def rest(self) -> str:
        """What was held back, when nothing follows that would make it a tag."""
        held, self._held = self._held, ""
        return held

    def _without_closing(self, text: str) -> str:
        """Hold back an end that could be, or become, the closing tag."""
        for length in range(min(len(_CLOSING), len(text)), 0, -1):
            if text.endswith(_CLOSING[:length]):
                self._held = text[-length:] if length < len(_CLOSING) else ""
                return text[:-length]
        return text


class Details:
    """OpenRouter's account of what a model thought, which it wants back as it was.

    It comes in pieces: texts grow, everything else is said once, the signature of Anthropic's models only
    after their calls.
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Json]] = []

    def add(self, pieces: list[Json]) -> None:
        for piece in pieces:
            if not isinstance(piece, dict):
                continue
            entry = self._entry_of(piece)
            if entry is None:
                self.entries.append(dict(piece))
            else:
                _grow(entry, piece)

    def _entry_of(self, piece: dict[str, Json]) -> dict[str, Json] | None:
        for entry in reversed(self.entries):
            if _belongs(piece, entry):
                return entry
        return None


def details_text(pieces: list[Json]) -> str:
    """What people can read of them."""
    said = (piece.get("text") or piece.get("summary") for piece in pieces if isinstance(piece, dict))
    return "".join(words for words in said if isinstance(words, str))


def _belongs(piece: dict[str, Json], entry: dict[str, Json]) -> bool:
    if piece.get("index") != entry.get("index"):
        return False
    kind = piece.get("type")
    if kind is not None and kind != entry.get("type"):
        return False
    ours, theirs = entry.get("id"), piece.get("id")
    if ours and theirs:
        return bool(ours == theirs)
    # Encrypted data comes whole, so that more of it is another one's.
    return not (entry.get("data") and piece.get("data"))


def _grow(entry: dict[str, Json], piece: dict[str, Json]) -> None:
    for key, value in piece.items():
        before = entry.get(key)
        if key in {"text", "summary"} and isinstance(before, str) and isinstance(value, str):
            entry[key] = before + value
        elif value is not None or key not in entry:
            entry[key] = value
