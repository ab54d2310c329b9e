"""What a model is told of its workspace: instruction files and skills, pinned to the chat."""
