"""What viewers are shown while it happens. `watch.py` merges database and board for one viewer of one chat.

`viewer.py` is pure: what a viewer knows is compared with what is, and each difference is an event.
"""
