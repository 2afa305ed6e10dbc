"""Poisoning: something false gets into the window and is used from there (I4).

`followed_orders` (with `orders`, how foreign text speaks to a model) and `errands` are what only foreign text asked
for; `claims`, `assumed_names` and `wrong_facts` are what the model itself got wrong and goes on from.
"""
