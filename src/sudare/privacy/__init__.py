"""What a person's privacy has cost so far, and what a device must not forget of it."""
