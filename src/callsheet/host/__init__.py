"""The host ring: a project folder opened for use, what its settings build, and what a session may do with its records.

`host.py` is the ring's centre, and the only module that reads the environment: `Host` joins the rest. `wiring.py` turns
settings into ports and the policy, `tenants.py` opens what belongs to a tenant, `runs.py` begins a run and goes on
with one, `inspection.py` looks at recorded decisions, `consent.py` and `memory.py` say who may approve and remember.
`counters.py` and `limits.py` answer for those who have no project: which counter measures a transcript, and what a
provider says of its model. `callsheet.transcripts` and `callsheet.history`, beside this folder, are its public faces.
"""
