"""Finding instruction files and skills in a workspace, through the protocol `Files` alone."""
