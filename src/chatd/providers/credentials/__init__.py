"""How a request shows who pays for it: keys in headers, and tokens and signatures of clouds.

`signing` has the kinds of credentials, `cache` makes and keeps them, `clouds` calls the clouds' own packages,
`secret` is a text that is not shown by accident.
"""
