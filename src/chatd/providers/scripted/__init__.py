"""The scripted model, which is no AI: it says and does what a script in the user's message tells it to.

`model` is the model, `script` the language of scripts, `performance` turns a step of a script into events.
"""
