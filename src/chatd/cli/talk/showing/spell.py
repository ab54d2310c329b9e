"""Lengths of time in words (pure)."""


def in_words(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:  # noqa: PLR2004 - seconds of a minute
        return f"{max(1, whole)} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s"
