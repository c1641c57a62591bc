"""What `submitter enqueue` says."""

from __future__ import annotations

from collections.abc import Mapping

from submitter.render.documents import EnqueuedDoc
from submitter.render.text_parts import several


def enqueued_doc(run: str, added: Mapping[str, int]) -> EnqueuedDoc:
    return {"run": run, "looks": added.get("look", 0), "lanes": added.get("send", 0)}


def enqueued_text(document: EnqueuedDoc) -> list[str]:
    looks, lanes = several(document["looks"], "site"), several(document["lanes"], "lane")
    if not (document["looks"] or document["lanes"]):
        return ["Everything waits in the queue already."]
    return [f"In the queue as {document['run']}: {looks} to look at, {lanes} to send in."]
