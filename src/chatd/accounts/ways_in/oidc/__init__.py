"""OpenID Connect: people sign in at an identity provider, and come back with what it says of them.

`flow.py` sends browsers there and takes them back, `provider.py` knows the provider and its keys,
`id_token.py` believes what it has signed, `claims.py` reads it, and `people.py` says which user that is.
"""
