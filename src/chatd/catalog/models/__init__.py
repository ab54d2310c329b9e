"""Providers and models: declared in settings or stored, joined in `inventory.py`.

`lookup.py` and `availability.py` say which one a user gets, or why not.
"""
