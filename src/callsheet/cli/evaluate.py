"""`eval`: a task set, run case by case, with what was assembled and done beside what was required (J1, J2)."""
