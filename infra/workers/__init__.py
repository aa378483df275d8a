"""Processes beside the server that do its heavy work, so that the event loop stays free for players."""
