"""Noise that two parties draw together and neither knows, from tables that are proved."""
