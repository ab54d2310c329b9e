"""The description as it is sent. Imported and made when it is first asked for: most servers never are."""

import gzip
import hashlib

from chatd.api.openapi.document import document
from chatd.api.page.headers import ASK_EACH_TIME
from chatd.api.serving.assets import Asset
from chatd.kit.media_type import JSON


def served_document() -> Asset:
    data = document()
    return Asset(
        # A tenth of its size stays in memory.
        plain=None,
        coded={"gzip": gzip.compress(data, mtime=0)},
        media_type=JSON,
        cache_control=ASK_EACH_TIME,
        tag=hashlib.sha256(data).hexdigest()[:32],
    )
