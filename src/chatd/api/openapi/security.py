"""How a caller shows who they are."""

from typing import Any

from chatd.api.serving.callers.cookies import PLAIN_NAME, SECURE_NAME

# One of both.
WAYS_IN: list[dict[str, list[str]]] = [{"token": []}, {"cookie": []}]
OF_GUESTS: list[dict[str, list[str]]] = [{"guest": []}]

SCHEMES: dict[str, Any] = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of a user or of a service."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": PLAIN_NAME,
        "description": f"Of a browser that has signed in; over HTTPS it is `{SECURE_NAME}`.",
    },
    "guest": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "`Guest CODE`, with the code of a public link, and no other way in.",
    },
}
