"""The sentences the demo chat model is trained on, drawn by a program."""
