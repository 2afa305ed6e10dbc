"""Retrieval: the way of a question to its evidence, as far as it needs neither files nor vectors.

1. `route` decides whether it is answered without evidence, from one search or from several; for several, `needs` takes
   it apart and `rounds` plans each further search from what was found. `planning` has the model do the first two.
2. One search, inside an index (edges/indexes): `language` tells whose stems its words have, `terms` what it asks for
   and what each word weighs, `feedback` adds what the best sections share. Of what came out, `diversity` puts what is
   said twice behind what is new.
3. `experience` puts further up what answered such questions, and `joining` the results of two stores in one order.
4. `excerpt` takes of a section what the question needs, where not all of it fits, and `sufficiency` judges before the
   model is asked whether the evidence answers. Both read sentences by `spans` and `reading`; so does the gate, which
   binds the answer's claims.

What documents are before any question stands in core/documents.
"""
