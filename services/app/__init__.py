"""How the program is put together and run: its wiring, its environment and its event loop."""
