"""For chats with more tools than a model should be told of: it looks for them with `find_tools`."""
