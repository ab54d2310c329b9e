"""Connections to addresses that others have named: into the internet, and nowhere else."""
