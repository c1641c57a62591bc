"""The models of one inventory: the common keys, and those that the known engines add.

An engine declares its keys in its `Traits`; adding one changes nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, create_model

from submitter.core.fleet import FirstRun
from submitter.core.traits import Option, Traits
from submitter.inventory.fields import Flag, GoogleReference, Number, Reference, Text, Whole
from submitter.inventory.models import (
    FIRST_RUN,
    AccountKeys,
    DefaultKeys,
    DomainKeys,
    SubdomainKeys,
)
from submitter.inventory.references import AMBIENT_KEY

Model = TypeVar("Model", bound=BaseModel)

_TYPES: Mapping[str, Any] = {
    "str": Text,
    "int": Whole,
    "float": Number,
    "bool": Flag,
    "strs": tuple[Text, ...],
    "secret": Reference,
}


@dataclass(frozen=True, slots=True)
class Models:
    """What may be written about sites; `site_options` are the keys that engines gave to sites."""

    defaults: type[DefaultKeys]
    domain: type[DomainKeys]
    subdomain: type[SubdomainKeys]
    site_options: tuple[str, ...]


def models_for(engines: Iterable[Traits]) -> Models:
    options = _site_options(engines)
    fields = _fields(options)
    subdomain = _extended(SubdomainKeys, fields)
    hosts = tuple[Text | subdomain, ...]  # type: ignore[valid-type]  # made at run time
    listed = {"subdomains": (hosts, DomainKeys.model_fields["subdomains"])}
    return Models(
        defaults=_extended(DefaultKeys, fields),
        domain=_extended(DomainKeys, {**fields, **listed}),
        subdomain=subdomain,
        site_options=tuple(option.name for option in options),
    )


def _site_options(engines: Iterable[Traits]) -> list[Option]:
    """Without those that the product's own models have (a site always knows them)."""
    options = {option.name: option for traits in engines for option in traits.site_options}
    return [option for name, option in options.items() if name not in DomainKeys.model_fields]


def account_model(traits: Traits) -> type[AccountKeys]:
    """What may be written about an account at this engine."""
    fields: dict[str, Any] = {
        "engine": (Literal[traits.name], Field(description=f"The engine: {traits.title}.")),
        "first_run": (FirstRun, Field(default=traits.first_run, description=FIRST_RUN)),
    }
    if traits.secret_key == AMBIENT_KEY:
        about = "A reference to the key: file:PATH, env:NAME, gcp-secret:…, aws-secret:… or adc."
        fields[AMBIENT_KEY] = (GoogleReference, Field(description=about))
    elif traits.secret_key is not None:
        about = "A reference to the secret: env:NAME, file:PATH, gcp-secret:… or aws-secret:…."
        fields[traits.secret_key] = (Reference, Field(description=about))
    fields |= _fields(traits.options)
    name = f"{traits.name.capitalize()}Account"
    return create_model(
        name, __base__=AccountKeys, __doc__=f"An account at {traits.title}.", **fields
    )


def _extended(model: type[Model], fields: dict[str, Any]) -> type[Model]:
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **fields)


def _fields(options: Iterable[Option]) -> dict[str, Any]:
    return {option.name: _field(option) for option in options}


def _field(option: Option) -> tuple[Any, Any]:
    kind = Literal[option.choices] if option.choices else _TYPES[option.type]
    if option.required:
        return kind, Field(description=option.doc)
    optional = kind if option.default is not None else kind | None
    return optional, Field(default=option.default, description=option.doc)
