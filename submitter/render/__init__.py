"""From values to what people and programs read: JSON shapes, text for a terminal, CSV.

`shapes` makes the documents, `text_*` the words for one command each. All of it is pure: width,
colour and the time are arguments. Foreign text reaches a terminal only through `plain`.
"""
