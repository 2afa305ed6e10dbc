"""The steps of a policy, one module each: `act(step, history, standing, terms)` gives the standing that follows."""
