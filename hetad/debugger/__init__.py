"""The debugger for gradients: where a derivative goes wrong, or is not finite, along the lines of the program.

`hetad/probes` makes the programs, `runs.py` runs them, `judge.py` compares what came out at each point, `session.py`
says what to look at next, `findings.py` is what the user gets.
"""
