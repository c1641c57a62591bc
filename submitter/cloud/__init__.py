"""The face for functions: a platform's event in, the run's JSON out.

`lambda_handler` is for AWS Lambda, `run_function` (HTTP) and `run_event` (CloudEvents) for Cloud
Run functions. Nothing heavy is imported before an event is worked on.
"""

from submitter.cloud.amazon import lambda_handler
from submitter.cloud.google import run_event, run_function

__all__ = ["lambda_handler", "run_event", "run_function"]
