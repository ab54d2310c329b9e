"""What happens before a handler is called and after it has answered.

Who asks, how much and how often, which host was meant, what is logged and counted.
"""
