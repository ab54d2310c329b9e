"""Numbers as words that tell nothing: each is one block of AES.

The same number is the same word. Without the key, words tell neither their numbers nor which of two came
first, and none can be made up.
"""

import base64
import binascii
import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

BLOCK_BYTES = 16
# The other half of a block is zero, by which a word that was made up is told.
NUMBER_BYTES = 8
WORD_LENGTH = 22
_PADDING = "=="


class SealedNumbers:
    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(b"chatd sealed numbers\0" + secret.encode()).digest()

    @cached_property
    def _cipher(self) -> "Cipher[modes.ECB]":
        """Imported with the first number that is sealed: it takes several megabytes."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415

        # One block by itself, so there is nothing to chain.
        return Cipher(algorithms.AES(self._key), modes.ECB())  # noqa: S305 - see above

    def seal(self, number: int) -> str:
        block = number.to_bytes(BLOCK_BYTES)
        sealed = self._cipher.encryptor().update(block)
        return base64.urlsafe_b64encode(sealed).decode("ascii").removesuffix(_PADDING)

    def open(self, word: str) -> int | None:
        """None: it is not a word of ours."""
        if len(word) != WORD_LENGTH or not word.isascii():
            return None
        try:
            sealed = base64.b64decode(word + _PADDING, altchars=b"-_", validate=True)
        except binascii.Error:
            return None
        number = int.from_bytes(self._cipher.decryptor().update(sealed))
        if number >= 2 ** (8 * NUMBER_BYTES - 1):
            return None
        # Of the last letter not all bits count: of the words that differ in these, one is ours.
        return number if self.seal(number) == word else None
