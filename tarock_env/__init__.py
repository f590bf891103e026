"""Tarock: exact rules, a fast engine, and environments for self-play learning."""
