"""The game of Liar's Dice as pure functions over immutable values.

Commands come in, events go out: `decide(command, state)` either returns the events that a command causes or raises a
`Refusal`, and `evolve(state, event)` folds an event into the state. Nothing here reads a clock, draws a random number
or touches a file: time, ids, dice seeds and everything else from outside enter as values.
"""
