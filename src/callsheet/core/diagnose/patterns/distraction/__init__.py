"""Distraction: a long history drowns the task (H4): old actions done again, old tasks gone on with, bulk unused."""
