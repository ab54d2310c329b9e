"""What guests are answered who have the code of a public link. They read, and do nothing else."""
