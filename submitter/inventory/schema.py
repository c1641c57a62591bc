"""The inventory's JSON Schema, made from the models that read it and the engines' own traits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from submitter.core.traits import Traits
from submitter.inventory.engines import account_model, models_for
from submitter.inventory.fields import Name
from submitter.inventory.models import InventoryKeys

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def inventory_schema(engines: Mapping[str, Traits]) -> dict[str, Any]:
    """JSON Schema 2020-12 of an inventory that may use these engines."""
    models = models_for(engines.values())
    accounts = [account_model(traits) for traits in engines.values()]
    account = Annotated[reduce(or_, accounts), Field(discriminator="engine")]  # type: ignore[valid-type]  # made while running
    declared = InventoryKeys.model_fields
    inventory = create_model(
        "Inventory",
        __base__=InventoryKeys,
        __doc__=InventoryKeys.__doc__,
        accounts=(dict[Name, account], declared["accounts"]),  # type: ignore[valid-type]  # made while running
        defaults=(models.defaults, declared["defaults"]),
        sites=(tuple[models.domain, ...], declared["sites"]),  # type: ignore[name-defined]  # made while running
    )
    return {"$schema": DIALECT, **inventory.model_json_schema(schema_generator=_Generator)}


def schema_text(engines: Mapping[str, Traits]) -> str:
    """As `submitter schema` prints it and config/inventory.schema.json holds it."""
    return json.dumps(inventory_schema(engines), indent=2, ensure_ascii=False) + "\n"


class _Generator(GenerateJsonSchema):
    """Without null, which no key takes, and without titles that repeat the keys."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A default that stands for a missing key is none that could be written."""
        inner = self.generate_inner(schema["schema"])
        written = schema.get("default") not in (None, (), {})
        return super().default_schema(schema) if written else inner

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        made = super().tagged_union_schema(schema)
        made.pop("discriminator", None)  # OpenAPI's word, not JSON Schema's
        return made

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
