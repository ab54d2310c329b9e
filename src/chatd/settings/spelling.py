"""How a setting is written in the environment and as a flag."""

PREFIX = "CHATD_"


def as_variable(key: str) -> str:
    return PREFIX + key.upper()


def as_flag(key: str) -> str:
    # A flag is for what is not so without it.
    return "--no-worker" if key == "worker" else "--" + key.replace("_", "-")
