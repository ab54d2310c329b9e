"""A provider that is not one: a real HTTP server that speaks every wire format we know, as a script says.

async with FakeProvider(Answer(Say("Hel", "lo."))) as fake:
    ...  # any client, ours or an official one, at fake.address

What it says is told in words that belong to no provider (`script.py`), and each of `wires/` puts them as
its provider would. What it is asked is read as strictly as a provider reads it: a request that breaks a rule
gets the provider's own kind of error. Whatever goes wrong in the world can be asked for (`troubles.py`).

`python -m tests.fake_provider --port 0` is the same thing as a process of its own.
"""
