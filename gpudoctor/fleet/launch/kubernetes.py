"""Makes a Kubernetes manifest that examines every node with NVIDIA GPUs once."""

import json
from typing import Any

from gpudoctor.fleet.launch.request import Request

NAME = "gpudoctor-fleet"
#: Set by NVIDIA's GPU feature discovery on nodes that have a GPU.
_LABEL = "nvidia.com/gpu.present"


def manifest(request: Request, nodes: tuple[str, ...], *, image: str, namespace: str) -> str:
    """A Job for each named node; without names a DaemonSet that answers once on each node and then waits. As YAML.

    JSON is YAML: what comes from names and arguments cannot break out of its quotes.
    """
    if not nodes:
        items = [_daemon_set(request, image, namespace)]
    else:
        items = [_job(request, image, namespace, node) for node in nodes]
    return "---\n".join(json.dumps(one, indent=2) + "\n" for one in items)


def collecting(nodes: tuple[str, ...], namespace: str) -> list[str]:
    """The commands that run it, collect its lines and take it away."""
    kind = "job" if nodes else "daemonset"
    waits = (
        f"kubectl -n {namespace} wait --for=condition=complete --timeout=10m job -l app={NAME}"
        if nodes
        else f"kubectl -n {namespace} rollout status --timeout=10m daemonset/{NAME}"
    )
    return [
        "gpudoctor fleet run --via kubernetes --dry-run … | kubectl apply -f -",
        waits,
        f"kubectl -n {namespace} logs -l app={NAME} --tail=-1 --max-log-requests=1000 >run.jsonl",
        f"kubectl -n {namespace} delete {kind} -l app={NAME}",
    ]


def _container(request: Request, image: str, after: str = "") -> dict[str, Any]:
    return {
        "name": "gpudoctor",
        "image": image,
        "command": [
            "sh",
            "-c",
            request.shell().replace("[ $r -le 4 ] && exit 0; exit $r", f"[ $r -le 4 ] || exit $r{after}"),
        ],
        # The node's own name, not that of the pod (kubernetes.io, Expose Pod Information).
        "env": [
            {"name": "GPUDOCTOR_NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
            {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "compute,utility"},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def _pod(request: Request, image: str, **more: Any) -> dict[str, Any]:
    container = _container(request, image, more.pop("after", ""))
    return {"containers": [container], "automountServiceAccountToken": False, **more}


def _meta(namespace: str, name: str = NAME) -> dict[str, Any]:
    return {"name": name, "namespace": namespace, "labels": {"app": NAME}}


def _job(request: Request, image: str, namespace: str, node: str) -> dict[str, Any]:
    """No retries by the cluster, and a deadline: a node that hangs must not keep the pod."""
    pod = _pod(request, image, nodeName=node, restartPolicy="Never")
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": _meta(namespace, f"{NAME}-{node.lower().replace('_', '-')}"[:63].rstrip("-.")),
        "spec": {
            "backoffLimit": 1,
            "activeDeadlineSeconds": int(request.deadline) + 300,
            "ttlSecondsAfterFinished": 3600,
            "template": {"metadata": {"labels": {"app": NAME}}, "spec": pod},
        },
    }


def _daemon_set(request: Request, image: str, namespace: str) -> dict[str, Any]:
    pod = _pod(
        request,
        image,
        nodeSelector={_LABEL: "true"},
        tolerations=[{"operator": "Exists"}],
        terminationGracePeriodSeconds=1,
        after="; exec sleep infinity",
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": _meta(namespace),
        "spec": {
            "selector": {"matchLabels": {"app": NAME}},
            "template": {"metadata": {"labels": {"app": NAME}}, "spec": pod},
        },
    }
