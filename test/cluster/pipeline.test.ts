import { randomBytes } from "node:crypto";
import { afterAll, describe, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { namespaceOfProject } from "../../shared/kube/clusters/jobsNamespace.ts";
import { hasGit } from "../harness/gitServer.ts";
import { pipelineSettings } from "../harness/pipelineProject.ts";
import { pipelineSuite } from "../harness/pipelineSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);
/** Registry of a node that runs containers, as `host:port`; it holds `busybox:1`, `toolbox:1` and BuildKit. */
const registry = process.env.SLIPWAY_NODE_REGISTRY;

if (operator === undefined || registry === undefined || !hasGit) {
  console.warn(
    "SKIPPED: a pipeline in real containers. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY; git must be installed.",
  );
  describe.skip("a pipeline in real containers: KUBECONFIG or SLIPWAY_NODE_REGISTRY is not set", () =>
    test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  const name = `slipway-jobs-${randomBytes(4).toString("hex")}`;
  const ofProject = { name: namespaceOfProject(name, "shop"), labels: { "slipway.test/real": "true" } };
  const jobs = { apiVersion: "v1", kind: "Namespace", metadata: ofProject };

  pipelineSuite("a real node", async () => {
    await client.create(jobs);
    const slipway = await startSlipway({
      kubeconfig,
      settings: {
        ...pipelineSettings,
        SLIPWAY_JOBS_NAMESPACE: name,
        SLIPWAY_IMAGE_GIT: "toolbox:1",
        SLIPWAY_IMAGE_TOOLS: "toolbox:1",
        SLIPWAY_IMAGE_BUILDKIT: "moby/buildkit:v0.25.2",
      },
    });
    const host = registry.split(":")[0] ?? "";
    return { slipway, kubeconfig, registry: `http://${registry}`, host, runsImages: true };
  });

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: ofProject.name });
    client.close();
  });
}
