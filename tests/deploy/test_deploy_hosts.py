"""deploy/: the container, systemd and Kubernetes start the program as it can be started."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from deploy_support import DEPLOY, ROOT, prove_the_program_takes

from submitter.cli.app import COMMANDS
from submitter.core.accounting import ExitCode
from submitter.inventory.addresses import check_ledger

CONTAINERFILE = DEPLOY / "container" / "Containerfile"
SERVICE = DEPLOY / "systemd" / "submitter.service"
TIMER = DEPLOY / "systemd" / "submitter.timer"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
KINDS = frozenset({".md", ".yaml", ".service"})


# ---------------------------------------------------------------- the container


def instructions() -> list[tuple[str, str]]:
    text = CONTAINERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.partition(" ")[2]) for line in lines]


def value_of(name: str) -> str:
    return [value for keyword, value in instructions() if keyword == name][-1]


def test_what_the_image_copies_is_there() -> None:
    copied = [value.split() for keyword, value in instructions() if keyword == "COPY"]
    sources = [name for words in copied if words[0][:2] != "--" for name in words[:-1]]
    assert sources
    assert [name for name in sources if not (ROOT / name).exists()] == []
    ignored = (CONTAINERFILE.parent / "Containerfile.ignore").read_text(encoding="utf-8")
    for name in sources:
        assert f"!{name.removeprefix('./')}\n" in ignored


def test_the_image_runs_as_nobody_of_importance() -> None:
    assert int(value_of("USER")) >= 10_000


def test_the_image_calls_the_program_as_it_can_be_called() -> None:
    program, *options = json.loads(value_of("ENTRYPOINT"))
    assert program == "submitter"
    prove_the_program_takes([*options, *json.loads(value_of("CMD"))])


def test_everything_runs_on_one_version_of_python() -> None:
    template = (DEPLOY / "aws" / "template.yaml").read_text(encoding="utf-8")
    function = (DEPLOY / "gcp" / "terraform" / "function.tf").read_text(encoding="utf-8")
    images = set(re.findall(r"python:(\d\.\d+)", CONTAINERFILE.read_text(encoding="utf-8")))
    assert images == set(re.findall(r"Runtime: python(\d\.\d+)", template))
    assert images == {f"{a}.{b}" for a, b in re.findall(r'"python(\d)(\d+)"', function)}


# ---------------------------------------------------------------- systemd


def unit(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    parser.read_string(path.read_text(encoding="utf-8"))
    return parser


def test_the_service_calls_the_program_as_it_can_be_called() -> None:
    service = unit(SERVICE)["Service"]
    program, *arguments = shlex.split(service["ExecStart"])
    assert Path(program).name == "submitter"
    context = prove_the_program_takes(arguments)
    assert context.params["deadline"] < float(service["TimeoutStartSec"])


def test_the_service_fails_only_where_somebody_has_to_look() -> None:
    good = {int(code) for code in unit(SERVICE)["Service"]["SuccessExitStatus"].split()}
    assert good <= set(map(int, ExitCode))
    bad = {ExitCode.INTERNAL, ExitCode.USAGE, ExitCode.NOTHING_SUCCEEDED, ExitCode.LEDGER}
    assert not good & bad


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_reads_the_units(tmp_path: Path) -> None:
    """With another program in place of ours, which is not installed where the unit looks."""
    for path in (SERVICE, TIMER):
        text = path.read_text(encoding="utf-8").replace("/opt/submitter/bin/submitter", "/bin/true")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    units = [str(tmp_path / path.name) for path in (SERVICE, TIMER)]
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# ---------------------------------------------------------------- Kubernetes


def closed(required: str = "", **properties: Any) -> dict[str, Any]:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
FLAG: dict[str, Any] = {"type": "boolean"}
NAME: dict[str, Any] = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
QUANTITY: dict[str, Any] = {"type": "string", "pattern": "^[0-9]+(m|Mi|Gi)?$"}
LABELS: dict[str, Any] = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
AMOUNTS = closed(cpu=QUANTITY, memory=QUANTITY)
REFERENCE = closed("name", name=NAME)


def listed(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": 1}


CONTAINER = closed(
    "name image args resources securityContext",
    name=NAME,
    image=TEXT,
    args=listed(TEXT),
    envFrom=listed(closed(secretRef=REFERENCE)),
    resources=closed("requests limits", requests=AMOUNTS, limits=AMOUNTS),
    securityContext=closed(
        "allowPrivilegeEscalation readOnlyRootFilesystem capabilities",
        allowPrivilegeEscalation={"const": False},
        readOnlyRootFilesystem={"const": True},
        capabilities=closed("drop", drop={"const": ["ALL"]}),
    ),
    volumeMounts=listed(closed("name mountPath", name=NAME, mountPath=TEXT, readOnly=FLAG)),
)
VOLUME = closed("name", name=NAME, configMap=REFERENCE, emptyDir=closed(sizeLimit=QUANTITY))
POD = closed(
    "containers securityContext",
    restartPolicy={"enum": ["Never", "OnFailure", "Always"]},
    automountServiceAccountToken={"const": False},
    terminationGracePeriodSeconds=COUNT,
    securityContext=closed(
        "runAsNonRoot",
        runAsNonRoot={"const": True},
        runAsUser=COUNT,
        seccompProfile=closed("type", type={"const": "RuntimeDefault"}),
    ),
    containers=listed(CONTAINER),
    volumes=listed(VOLUME),
)
TEMPLATE = closed("metadata spec", metadata=closed("labels", labels=LABELS), spec=POD)
META = closed("name", name=NAME, labels=LABELS)
CRON_JOB = closed(
    "apiVersion kind metadata spec",
    apiVersion={"const": "batch/v1"},
    kind={"const": "CronJob"},
    metadata=META,
    spec=closed(
        "schedule jobTemplate",
        schedule={"type": "string", "pattern": r"^(\S+ ){4}\S+$"},
        timeZone=TEXT,
        concurrencyPolicy={"enum": ["Allow", "Forbid", "Replace"]},
        startingDeadlineSeconds=COUNT,
        successfulJobsHistoryLimit=COUNT,
        failedJobsHistoryLimit=COUNT,
        jobTemplate=closed(
            "spec",
            spec=closed(
                "template",
                backoffLimit=COUNT,
                activeDeadlineSeconds=COUNT,
                ttlSecondsAfterFinished=COUNT,
                template=TEMPLATE,
            ),
        ),
    ),
)
DEPLOYMENT = closed(
    "apiVersion kind metadata spec",
    apiVersion={"const": "apps/v1"},
    kind={"const": "Deployment"},
    metadata=META,
    spec=closed(
        "selector template",
        replicas=COUNT,
        selector=closed("matchLabels", matchLabels=LABELS),
        template=TEMPLATE,
    ),
)
SCHEMAS = {"CronJob": CRON_JOB, "Deployment": DEPLOYMENT}
"""Of the keys that are used here. Source: https://kubernetes.io/docs/reference/kubernetes-api/,
read 2026-11-30."""


def manifest(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def pod_of(document: Any) -> Any:
    spec = document["spec"]
    return (
        spec["jobTemplate"]["spec"]["template"]["spec"]
        if "jobTemplate" in spec
        else spec["template"]["spec"]
    )


@pytest.mark.parametrize("path", KUBERNETES, ids=lambda path: path.stem)
def test_a_manifest_has_only_keys_that_there_are(path: Path) -> None:
    document = manifest(path)
    jsonschema.validate(document, SCHEMAS[document["kind"]])


@pytest.mark.parametrize("path", KUBERNETES, ids=lambda path: path.stem)
def test_every_mount_of_a_manifest_has_its_volume(path: Path) -> None:
    pod = pod_of(manifest(path))
    mounted = {one["name"] for each in pod["containers"] for one in each["volumeMounts"]}
    assert mounted == {one["name"] for one in pod["volumes"]}


@pytest.mark.parametrize("path", KUBERNETES, ids=lambda path: path.stem)
def test_a_manifest_calls_the_program_as_it_can_be_called(path: Path) -> None:
    [container] = pod_of(manifest(path))["containers"]
    assert container["args"][0] in COMMANDS
    prove_the_program_takes(container["args"])


def test_the_deployment_selects_its_own_pods() -> None:
    spec = manifest(DEPLOY / "kubernetes" / "worker.yaml")["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]


def test_a_job_ends_by_itself_before_it_is_killed() -> None:
    job = manifest(DEPLOY / "kubernetes" / "cronjob.yaml")["spec"]["jobTemplate"]["spec"]
    [container] = job["template"]["spec"]["containers"]
    context = prove_the_program_takes(container["args"])
    grace = job["template"]["spec"]["terminationGracePeriodSeconds"]
    assert context.params["deadline"] + grace <= job["activeDeadlineSeconds"]


def test_every_address_of_a_ledger_is_one_that_the_program_takes() -> None:
    """A variable that names one may hold no password; a reference to another variable may."""
    texts = [path.read_text(encoding="utf-8") for path in DEPLOY.rglob("*") if path.suffix in KINDS]
    named = {found for text in texts for found in re.findall(r"SUBMITTER_LEDGER=([^\s`]+)", text)}
    assert "env:DATABASE_URL" in named
    for address in named:
        check_ledger(address)
