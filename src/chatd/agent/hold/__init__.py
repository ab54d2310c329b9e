"""What a runner has of one chat: the `Hold`, through which alone an agent writes.

`follow_up.py` decides, within the commit of a step, what comes next.
"""
