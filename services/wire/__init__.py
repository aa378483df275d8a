"""The translation between values of the domain and messages, which the server and its clients share."""
