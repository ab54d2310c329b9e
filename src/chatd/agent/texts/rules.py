"""What a model wrote becomes a text that can be shown in a list, or nothing (pure).

A model reads what others said, and may say what they want it to. So whatever comes back is one line without
anything that cannot be seen, and within a bound.
"""

import re

from chatd.domain.profile.texts import GENERATED_TITLE_LENGTH_MAX, SUMMARY_LENGTH_MAX, TURN_LABEL_LENGTH_MAX
from chatd.kit.text import one_line, shortened

TITLE_WORDS_MAX = 8
LABEL_WORDS_MIN, LABEL_WORDS_MAX = 2, 5
LABEL_LENGTH_MAX = 80
SUMMARY_SENTENCES_MAX = 6
# Of the report of a chat that works for another.
REPORT_SENTENCES_MAX = 3

# More than this is not looked at.
LOOKED_AT_MAX = 8000

# Of several languages, with what Markdown puts around words.
_QUOTES = "\"'`*_" + "\u201c\u201d\u201e\u201f\u2018\u2019\u00ab\u00bb\u300c\u300d"
_HEADING = re.compile(r"[#>\-\s]*(?:(?:title|label|summary)\s*:\s*)?", re.IGNORECASE)
# The full stops of other scripts stand without a blank after them.
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[\u3002\uff01\uff1f]")
# A label says what was done, and not who did it.
_NO_BEGINNINGS = frozenset(
    {"i", "we", "you", "he", "she", "it", "they", "this", "that", "these", "those"}
    | {"my", "our", "your", "his", "her", "its", "their", "a", "an", "the", "agent"}
)


def title_of(words: str) -> str | None:
    """The first line of it, up to eight words."""
    line = _bare(next(iter(_lines(words)), ""))
    kept = " ".join(line.split(" ")[:TITLE_WORDS_MAX]).rstrip(".,;:")
    return shortened(kept, GENERATED_TITLE_LENGTH_MAX) or None


def label_of(words: str) -> str | None:
    """None unless it is two to five words that are no sentence, and begin with what was done."""
    lines = _lines(words)
    label = _bare(lines[0]) if len(lines) == 1 else ""
    parts = label.split(" ")
    fits = LABEL_WORDS_MIN <= len(parts) <= LABEL_WORDS_MAX and len(label) <= LABEL_LENGTH_MAX
    if not fits or _SENTENCE_END.search(label) or parts[0].casefold().strip(_QUOTES) in _NO_BEGINNINGS:
        return None
    return label


def summary_of(words: str) -> str | None:
    """None when it is longer than a few sentences: such a summary sums nothing up."""
    summary = one_line(words[:LOOKED_AT_MAX])
    if not summary or len(summary) > SUMMARY_LENGTH_MAX or _sentences(summary) > SUMMARY_SENTENCES_MAX:
        return None
    return summary


def label_of_report(report: str) -> str | None:
    """The beginning of what a chat that works for another reports: its first paragraph that is prose."""
    for paragraph in re.split(r"\n\s*\n", report[:LOOKED_AT_MAX]):
        words = one_line(paragraph)
        if words and not words.startswith(("#", "```", "|", "---")):
            return shortened(_first_sentences(words), TURN_LABEL_LENGTH_MAX)
    return None


def _lines(words: str) -> list[str]:
    lines = (one_line(line) for line in words[:LOOKED_AT_MAX].splitlines())
    return [line for line in lines if line]


def _bare(line: str) -> str:
    """Without what models put around a title: quotes, a heading, the word itself."""
    return _HEADING.sub("", line.strip(_QUOTES + " "), count=1).strip(_QUOTES + " ")


def _sentences(text: str) -> int:
    ends = len(_SENTENCE_END.findall(text))
    return ends if _SENTENCE_END.search(text[-1:]) else ends + 1


def _first_sentences(text: str) -> str:
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[: ends[REPORT_SENTENCES_MAX - 1]] if len(ends) >= REPORT_SENTENCES_MAX else text
