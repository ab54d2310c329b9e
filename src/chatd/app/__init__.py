"""Putting the parts together: settings in, a running server out.

`serve.py` is the entry. No other folder creates the parts that it hands on.
"""
