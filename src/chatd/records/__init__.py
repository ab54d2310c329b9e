"""Debug records: what was really sent to a model and what came back. Off by default.

`recorder.py` is the entry. Nothing reads a record to decide anything.
"""
