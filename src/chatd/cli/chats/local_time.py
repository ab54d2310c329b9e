"""Moments as the server tells them, in the time of this machine."""

from datetime import datetime


def local_time(moment: str | None) -> str:
    """To the minute. What is no moment is shown as it is."""
    if moment is None:
        return "-"
    try:
        return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return moment[:16]
