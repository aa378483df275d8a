"""Tables on the server: who set them up, the chains that the server keeps, bots, clocks and the list of all of them."""
