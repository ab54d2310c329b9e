"""Text without what it would give away: keys, and the passwords and queries of addresses (pure)."""

import re

# Every repetition stops at a mark that it cannot pass, so that no text takes long.
_ADDRESS = re.compile(
    r"\b([a-z][a-z0-9+]{1,15})://(?:[^\s/@\"'<>]*@)?([^\s?#\"'<>]*)(?:[?#][^\s\"'<>]*)?", re.IGNORECASE
)
_PARAMETER = re.compile(
    r"([?&](?:api[-_]?key|key|access[-_]?token|token|sig|signature|secret|password)=)[^\s&\"'<>]+",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{16,}", re.IGNORECASE)
# Words look like keys, too, but have no digits.
_KEY = re.compile(
    r"\b(sk|pk|rk|key|gsk|xai|hf|nvapi|pplx|ghp)[-_](?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{12,}"
    r"|\b(AIza|AKIA|ASIA|eyJ)[A-Za-z0-9_.-]{12,}"
)

HIDDEN = "…"


def without_secrets(text: str) -> str:
    text = _ADDRESS.sub(r"\1://\2", text)
    text = _PARAMETER.sub(rf"\1{HIDDEN}", text)
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    return _KEY.sub(lambda found: f"{found[1] or found[2]}{HIDDEN}", text)
