"""An ID token: what a provider has signed about a person, for us, now, and for this very sign-in.

PyJWT is an extra, and is imported when the first person comes back.
"""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn

LEEWAY_SECONDS = 60
RSA_BITS_MIN = 2048
# The kinds of keys that each algorithm is for. Whoever knows what checks a symmetric one can make it as well,
# and `none` is no signature at all.
ALGORITHMS: Mapping[str, str] = {
    "RS256": "RSA",
    "RS384": "RSA",
    "RS512": "RSA",
    "PS256": "RSA",
    "PS384": "RSA",
    "PS512": "RSA",
    "ES256": "EC",
    "ES384": "EC",
    "ES512": "EC",
    "EdDSA": "OKP",
}

Claims = Mapping[str, Any]


def key_id_in(token: str) -> str | None:
    """Of its head, which nobody has checked yet."""
    key_id = _head(token).get("kid")
    if key_id is not None and not isinstance(key_id, str):
        raise _unfit("its key id is no text")
    return key_id


def checked_claims(
    token: str, keys: Sequence[Mapping[str, Any]], *, issuer: str, client_id: str, nonce: str
) -> Claims:
    """Raises NotSignedIn unless all of it fits."""
    import jwt  # noqa: PLC0415 - an extra

    algorithm = _head(token).get("alg")
    if algorithm not in ALGORITHMS:
        raise _unfit("it is signed with an algorithm that is not allowed")
    key = _key(keys, key_id_in(token), str(algorithm))
    try:
        claims: Claims = jwt.decode(
            token,
            key,
            algorithms=[str(algorithm)],
            issuer=issuer,
            audience=client_id,
            leeway=LEEWAY_SECONDS,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    except jwt.PyJWTError as error:
        # The words of some errors repeat what is in the token.
        raise _unfit(type(error).__name__) from None
    _check_audience(claims, client_id)
    told = claims.get("nonce")
    if not isinstance(told, str) or not hmac.compare_digest(told.encode(), nonce.encode()):
        raise _unfit("it belongs to another sign-in")
    if not isinstance(claims["sub"], str) or not claims["sub"]:
        raise _unfit("it names nobody")
    return claims


def _check_audience(claims: Claims, client_id: str) -> None:
    """It is for us, and for nobody else."""
    audience = claims["aud"]
    if audience not in (client_id, [client_id]):
        raise _unfit("it is for others too")
    if claims.get("azp", client_id) != client_id:
        raise _unfit("it was made for another client")


def _key(keys: Sequence[Mapping[str, Any]], key_id: str | None, algorithm: str) -> Any:
    """The one that the token names; or the only one that fits, if it names none."""
    import jwt  # noqa: PLC0415 - an extra

    fitting = [
        key
        for key in keys
        if key.get("kty") == ALGORITHMS[algorithm]
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and (key_id is None or key.get("kid") == key_id)
    ]
    if len(fitting) != 1:
        raise _unfit("its key is not one of the provider's")
    try:
        key = jwt.PyJWK(dict(fitting[0]), algorithm).key
    except jwt.PyJWTError:
        raise _unfit("the key of the provider cannot be read") from None
    if ALGORITHMS[algorithm] == "RSA" and key.key_size < RSA_BITS_MIN:
        raise _unfit(f"the key of the provider has fewer than {RSA_BITS_MIN} bits")
    return key


def _head(token: str) -> Mapping[str, Any]:
    import jwt  # noqa: PLC0415 - an extra

    try:
        return jwt.get_unverified_header(token)
    except jwt.PyJWTError:
        raise _unfit("it is no token") from None


def _unfit(why: str) -> NotSignedIn:
    return NotSignedIn(Failure.TOKEN, f"the ID token does not count: {why}")
