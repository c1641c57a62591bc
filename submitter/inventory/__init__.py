"""The inventory: from what the operator wrote (YAML, CSV) to frozen values, or to all its faults.

`load.load_inventory` reads one, `schema.inventory_schema` describes one, `starter` begins one.
Nothing here opens a connection or reads an environment variable.
"""
