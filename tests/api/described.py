"""What OpenAPI says of an answer. Every answer in the tests of the API is held against it."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from chatd.api.openapi.document import document

DESCRIBED: Any = json.loads(document())
JSON = "application/json"

# Paths without a placeholder first: `import` is not the name of a chat.
_PATTERNS = [
    (re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))), path)
    for path in sorted(DESCRIBED["paths"], key=lambda path: path.count("{"))
]


def check_answer(method: str, path: str, status: int, media_type: str, body: bytes) -> None:
    """Raises AssertionError for a status that is not named, and for JSON that does not fit its schema."""
    operation = operation_at(method, path)
    if operation is None:
        return  # There is no such path, or not with this method: nothing to describe.
    assert str(status) in operation["responses"], f"{method} {path}: {status} is not described"
    content = followed(operation["responses"][str(status)]).get("content", {})
    media_type = media_type.partition(";")[0]
    assert not body or media_type in {each.partition(";")[0] for each in content}, (path, media_type)
    if body and media_type == JSON:
        problem = problem_of(encoded(content[JSON]["schema"]), body)
        assert problem is None, f"{method} {path}, {status}: {problem}"


def operation_at(method: str, path: str) -> Any:
    found = next((path_ for pattern, path_ in _PATTERNS if pattern.fullmatch(path)), None)
    return DESCRIBED["paths"][found].get(method.lower()) if found is not None else None


def operations() -> Iterator[tuple[str, str, Any]]:
    for path, methods in DESCRIBED["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def encoded(schema: Any) -> str:
    return json.dumps(schema)


def problem_of(schema: str, body: bytes) -> str | None:
    """Why this JSON does not fit the schema."""
    value = json.loads(body)
    if b"\\ud" in body.lower():
        # Halves of characters are kept by chatd, and no validator takes them.
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    error = next(_validator(schema).iter_errors(value), None)
    return str(error) if error is not None else None


@cache
def _validator(schema: str) -> Any:
    return jsonschema_rs.Draft202012Validator({**json.loads(schema), "components": DESCRIBED["components"]})


def followed(response: Any) -> Any:
    if "$ref" not in response:
        return response
    return DESCRIBED["components"]["responses"][response["$ref"].rpartition("/")[2]]
