"""What the system says in the middle of a chat, for models that hear it only from the user (pure)."""


def marked_as_system(text: str) -> str:
    return f"<system>\n{text}\n</system>"
