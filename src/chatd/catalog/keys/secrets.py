"""Keys of providers at rest: sealed with AES-GCM under a key that is not in the database.

A sealed text begins with its version and the id of the key that sealed it, so that a wrong key is told
apart from damage. It is bound to its place: moved to another row it cannot be opened.

The key is `secret-key` in the data directory, made at the first start, or the setting `secret_key`.
Servers that share a database need the same one.
"""

import base64
import binascii
import contextlib
import hashlib
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from chatd.errors import Misconfigured, Unusable
from chatd.storage.data_dir.private_file import write_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_FILE = "secret-key"
KEY_BYTES = 32
NONCE_BYTES = 12
VERSION = "1"

# Of a key that is shown, no more than this; of a short one, nothing.
SHOWN_LENGTH = 4
SHOWN_LENGTH_MIN = 16


class Secrets:
    def __init__(self, key: bytes) -> None:
        assert len(key) == KEY_BYTES
        self._key = key
        # Says which key it is, and nothing about it.
        self.key_id = hashlib.sha256(b"chatd key id\0" + key).hexdigest()[:16]
        self.mark = f"{VERSION}:{self.key_id}:"

    @cached_property
    def _cipher(self) -> "AESGCM":
        """Imported with the first secret that is sealed or opened: it takes several megabytes."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - see above

        return AESGCM(self._key)

    def seal(self, secret: str, *, place: str) -> str:
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, secret.encode(), self._bound_to(place))
        return self.mark + base64.b64encode(nonce + sealed).decode("ascii")

    def open(self, sealed: str, *, place: str) -> str:
        """Raises Misconfigured when another key has sealed it, Unusable when it is damaged or misplaced."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as with the cipher

        self.check(sealed)
        text = sealed.removeprefix(self.mark)
        try:
            data = base64.b64decode(text, validate=True)
            opened = self._cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], self._bound_to(place))
        except (binascii.Error, ValueError, InvalidTag) as error:
            raise Unusable(
                "A key in the database is damaged, or belongs elsewhere. Enter it again."
            ) from error
        return opened.decode()

    def check(self, sealed: str) -> None:
        """Raises Misconfigured when another key has sealed it."""
        _, _, rest = sealed.partition(":")
        key_id, _, _ = rest.partition(":")
        if not sealed.startswith(self.mark):
            raise Misconfigured(
                f"A key in the database was sealed with another secret key ({key_id}) than this "
                f"server's ({self.key_id}). Give the server the right one, as `{KEY_FILE}` in its data "
                "directory or as CHATD_SECRET_KEY. If it is lost, `chatd model forget-keys` removes the "
                "keys that can no longer be opened."
            )

    def _bound_to(self, place: str) -> bytes:
        return f"chatd/{VERSION}/{self.key_id}/{place}".encode()


def provider_place(provider_id: str) -> str:
    return f"provider/{provider_id}"


def user_place(user_id: str, provider_id: str) -> str:
    return f"user/{user_id}/provider/{provider_id}"


def masked(secret: str) -> str:
    """As much of a key as may be seen: enough to tell two of them apart."""
    return "…" + secret[-SHOWN_LENGTH:] if len(secret) >= SHOWN_LENGTH_MIN else "…"


def read_or_make(data_dir: Path, given: str | None) -> Secrets:
    """The key from the settings, or the one in the data directory, made if there is none."""
    if given is not None:
        return Secrets(_decoded(given, "The setting secret_key (CHATD_SECRET_KEY)"))
    file = data_dir / KEY_FILE
    try:
        text = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return Secrets(_made(file))
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"Cannot read the secret key in {file}: {error}.") from error
    return Secrets(_decoded(text, f"The secret key in {file}"))


def new_key() -> str:
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode("ascii")


def _decoded(text: str, what: str) -> bytes:
    """Never shows the text, not even when it is wrong."""
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise Misconfigured(
            f"{what} is not {KEY_BYTES} bytes in base64. Make one with `openssl rand -base64 {KEY_BYTES}`."
        )
    return key


def _made(file: Path) -> bytes:
    """Of two servers that make it at once, both use the first one's."""
    try:
        with contextlib.suppress(FileExistsError):
            write_private(file, f"{new_key()}\n", replace=False)
        text = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise Unusable(f"Cannot write the secret key to {file}: {error.strerror}.") from error
    return _decoded(text, f"The secret key in {file}")
