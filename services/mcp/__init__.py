"""A server of the Model Context Protocol (MCP): tools with which a language model plays at a liarsdice server.

`toolbox` lists the tools and calls them, `session` is the player behind them, and `server` is the only module that needs
the MCP library. Everything that a tool returns comes from the client library, so a model sees what its seat sees.
"""
