"""Entry points of the Cloud Run functions; the work is in `submitter.cloud`."""

import functions_framework
from cloudevents.http import CloudEvent
from flask import Request

from submitter.cloud import run_event, run_function


@functions_framework.http
def submit(request: Request) -> tuple[str, int, dict[str, str]]:
    """For Cloud Scheduler, and whoever else may invoke it: options in the body of a POST."""
    return run_function(request)


@functions_framework.cloud_event
def submit_event(event: CloudEvent) -> None:
    """For Eventarc: options as the event's data, or in a Pub/Sub message."""
    run_event(event)
