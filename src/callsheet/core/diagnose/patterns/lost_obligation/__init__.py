"""Lost obligation: something promised, asked for or left open that never came.

`owing` is how it is said, `duties` whether it came since, `lost_obligation` what is told of it, and open calls and
plans.
"""
