"""Commands for people: the demonstration, the model report, warm-up and operation counts."""
