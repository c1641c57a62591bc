"""The doctor: walks from the inventory to the engine's own crawler and stops at the first cause.

`rounds` is the story; `accounts` asks each account once, `visits` looks at each site once, `steps`
says of every target what stands in its way. Nothing is sent and no quota is spent.
"""
