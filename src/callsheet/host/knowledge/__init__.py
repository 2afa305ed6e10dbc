"""Knowledge as the host serves it: what comes in, what is opened for whom, what a session asks.

In the order of the way in: `desk` is what an application calls; `ingesting` takes folders into an index; `embedding`
gives what is there its vectors, in the background; `rankers` opens the models that rank. In that of the way out:
`indexes` opens an index for a tenant and searches it for a session; `experience` puts what answered before further up.
Beside them `tool_search` makes a catalogue an index of its own, and `preload` tells from recorded requests what should
stand in the prefix.
"""
