"""Variables that Kubernetes sets in every container, for each Service of its namespace.

For a Service `some-app` they begin with `SOME_APP_`, and so look like settings of a program of that name.
They are told apart by name and value together, so that a misspelt setting is not taken for one of them.
"""

import re
from collections.abc import Mapping

_ADDRESS = r"[0-9A-Fa-f.:]+"
_NUMBER = r"\d{1,5}"
_PROTOCOL = r"tcp|udp|sctp"
_URL = rf"(?:{_PROTOCOL})://(?:{_ADDRESS}|\[{_ADDRESS}\]):{_NUMBER}"

# How a name ends, and what its value is.
_SHAPES: Mapping[str, str] = {
    r"SERVICE_HOST": _ADDRESS,
    r"SERVICE_PORT(?:_[A-Z0-9_]+)?": _NUMBER,
    r"PORT": _URL,
    r"PORT_\d+_(?:TCP|UDP|SCTP)": _URL,
    r"PORT_\d+_(?:TCP|UDP|SCTP)_PROTO": _PROTOCOL,
    r"PORT_\d+_(?:TCP|UDP|SCTP)_PORT": _NUMBER,
    r"PORT_\d+_(?:TCP|UDP|SCTP)_ADDR": _ADDRESS,
}
# A Service may be called `some-app-database`, too.
_PATTERNS = tuple(
    (re.compile(rf"(?:[A-Z0-9_]+_)?{ending}"), re.compile(value)) for ending, value in _SHAPES.items()
)


def is_service_variable(name: str, value: str, *, prefix: str) -> bool:
    """Whether this was set for a Service whose name begins as `prefix` says."""
    rest = name.removeprefix(prefix)
    return name.startswith(prefix) and any(
        ending.fullmatch(rest) and content.fullmatch(value) for ending, content in _PATTERNS
    )
