"""Sending a browser to a server where its user signs in: PKCE, and the address with its parameters (pure)."""

import base64
import hashlib
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

S256 = "S256"


def challenge_of(verifier: str) -> str:
    """PKCE (RFC 7636), S256."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def with_parameters(url: str, parameters: Mapping[str, str]) -> str:
    """The address with these as well; an endpoint may have some of its own."""
    address = urlsplit(url)
    query = "&".join(filter(None, (address.query, urlencode(parameters))))
    return address._replace(query=query, fragment="").geturl()
