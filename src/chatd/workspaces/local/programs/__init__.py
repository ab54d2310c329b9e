"""Programs that we run ourselves, ripgrep and git, kept to what they are for by the kernel."""
