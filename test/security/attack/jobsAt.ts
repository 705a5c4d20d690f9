import { localClusterId } from "../../harness/boutique.ts";
import { victimNamespaces } from "./victim.ts";

interface AttackingWorkflow {
  name: string;
  stages: object[];
  inputs: object[];
}

const place = { cluster_id: localClusterId };

function workflow(name: string, type: string, spec: object, parameters: object): AttackingWorkflow {
  return {
    name,
    stages: [{ name: "attack", jobs: [{ name: "attack", type, spec }] }],
    inputs: [{ job_name: "attack", job_type: type, parameters }],
  };
}

/** Workflows of another project whose jobs name what the victims have. */
export const jobsAt: readonly AttackingWorkflow[] = victimNamespaces.flatMap((namespace, at) => {
  const workload = { namespace, ...place, workload_type: "Deployment", workload_name: "login", container_name: "main" };
  const target = `Deployment/login/main`;
  const patch = { resource_kind: "Secret", resource_version: "v1", patch_content: "data: null" };
  const patched = ["login", "held", "kubectl"].map((resource_name) => ({ ...patch, resource_name }));
  return [
    workflow(
      `patch-${at}`,
      "k8s-resource-patch",
      { ...place, namespace, patch_items: patched },
      { target_list: patched.map(({ patch_content: _content, ...one }) => ({ ...one, inputs: [] })) },
    ),
    workflow(
      `custom-${at}`,
      "custom-deploy",
      { ...place, namespace, source: "runtime", targets: [{ target, image: "stolen:1" }] },
      {
        target_list: [
          { workload_type: "Deployment", workload_name: "login", container_name: "main", image_name: "stolen:1" },
        ],
      },
    ),
    ...["k8s-canary-deploy", "k8s-blue-green-deploy", "k8s-gray-release", "istio-release", "k8s-gray-rollback"].map(
      (type) =>
        workflow(
          `${type}-${at}`,
          type,
          {
            ...{ ...place, namespace, docker_registry_id: "0123456789abcdef12345679", env: "dev" },
            targets: [{ ...workload, k8s_service_name: "login", image: "stolen:1", canary_replica: 1 }],
          },
          { target_list: [{ ...workload, k8s_service_name: "login", image_name: "stolen:1" }] },
        ),
    ),
    workflow(
      `deploy-${at}`,
      "zadig-deploy",
      { env: "dev", source: "runtime", deploy_contents: ["image", "config"], services: [] },
      { env_name: at % 2 === 0 ? "dev" : "prod", service_list: [{ service_name: "login" }] },
    ),
    workflow(
      `trigger-${at}`,
      "workflow-trigger",
      {
        ...{ is_enable_check: false, trigger_type: "fixed" },
        fixed_workflow_list: [
          { project_name: "veil", workflow_name: "ship", serviceName: "login", service_module: "login" },
        ],
      },
      {},
    ),
    workflow(
      `restart-${at}`,
      "zadig-restart",
      { env: "dev", source: "runtime", services: [] },
      { env_name: "dev", service_list: [{ service_name: "login" }] },
    ),
    workflow(
      `offline-${at}`,
      "offline-service",
      {
        env_type: at % 2 === 0 ? "" : "production",
        env_name: at % 2 === 0 ? "dev" : "prod",
        services: ["login", "web"],
      },
      {},
    ),
    workflow(
      `script-${at}`,
      "freestyle",
      {
        runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
        ...{ script_type: "shell", script: `kubectl -n ${namespace} get secret login -o yaml; env` },
      },
      {},
    ),
  ];
});
