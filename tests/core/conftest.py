"""Properties of the core are held without a deadline: a busy machine is no failed test."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
