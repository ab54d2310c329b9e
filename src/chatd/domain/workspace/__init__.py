"""What an agent knows of its workspace: instruction files, skills, the file of its plan."""
