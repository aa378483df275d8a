"""Fair dice: every die follows from hash chains that the server and all players committed to before the game.

Each party hashes a secret seed over and over and publishes the last result, the anchor. A roll reveals the link just
before what was revealed last, which anyone can check by hashing it. The server's links stay secret until the cups
are lifted, so nobody knows the dice early; the players' links are fixed in advance, so nobody can choose them late.

Links have numbers, and every call to roll names the number that all of its links must have. A call also sets aside the
numbers of all rerolls that could follow it. So a link that was sent but not recorded, because a forfeit or the next
player's move came first, is worth nothing for any later deal: nobody who saw it early can profit from it.

The transcript that salts each deal holds the commitments and the players' links of all deals before, and nothing that a
player decides: if bids were part of it, a server in league with a bidder could try out bids until a reroll suits them.
"""
