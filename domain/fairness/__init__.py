"""Fair dice: every die follows from hash chains that the server and all players committed to before the game.

Each party hashes a secret seed over and over and publishes the last result, the anchor. A roll reveals the link just
before what was revealed last, which anyone can check by hashing it once. The server's links stay secret until the cups
are lifted, so nobody knows the dice early; the players' links are fixed in advance, so nobody can choose them late.

The transcript that salts each deal holds the commitments and the players' links of all deals before, and nothing that a
player decides: if bids were part of it, a server in league with a bidder could try out bids until a reroll suits them.
"""
