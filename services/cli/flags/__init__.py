"""Flags that several subcommands have."""
