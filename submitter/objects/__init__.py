"""One object in a bucket, read whole and replaced only when nobody else has replaced it.

`s3://` through boto3, `gs://` through google-auth; either is imported when an object is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from submitter.objects.address import SCHEMES, ObjectAddress
from submitter.objects.errors import ObjectError, Overtaken

if TYPE_CHECKING:
    from submitter.objects.stored import StoredObject

__all__ = ["SCHEMES", "ObjectAddress", "ObjectError", "Overtaken", "open_object"]


def open_object(text: str) -> StoredObject:
    """The object at `s3://BUCKET/KEY` or `gs://BUCKET/KEY`; it need not be there. Raises
    ValueError for an address that is none, and ObjectError when its library is missing."""
    from submitter.objects.stored import StoredObject

    address = ObjectAddress.parse(text)
    if address.scheme == "s3":
        from submitter.objects.s3 import S3Store

        return StoredObject(address, S3Store(address))
    from submitter.objects.gcs import GcsStore

    return StoredObject(address, GcsStore(address))
