"""The advisor: a second model that an agent can ask how to go on."""
