import { readOperatorKubeconfig } from "../../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { startSlipway } from "../../harness/slipway.ts";
import { tasksOf } from "../../harness/tasks.ts";
import { type Bench, project } from "./benchedWorkflow.ts";
import { benchCounts } from "./counts.ts";
import { benchCrowd } from "./crowd.ts";
import { benchGaps } from "./gaps.ts";
import { benchPods } from "./pods.ts";
import { benchQueue } from "./queue.ts";

/** How fast tasks go on, and what they cost: of the engine on one machine, so without the latencies of AWS. */
export async function benchEngine(): Promise<void> {
  const cluster = await readOperatorKubeconfig(process.env);
  const slipway = await startSlipway({
    podDelayMilliseconds: 0,
    ...(cluster !== undefined && { kubeconfig: cluster.text }),
  });
  const bench: Bench = { slipway, tasks: tasksOf(slipway, project) };
  try {
    const body = { project_key: project, project_name: project, project_type: "yaml" };
    const answer = await slipway.call("POST", "/openapi/projects/project", { body });
    if (answer.status !== 200) throw new Error(answer.text);
    await benchCounts(bench);
    await benchGaps(bench);
    await benchQueue(bench);
    await benchCrowd(bench);
    await benchPods(bench, cluster);
  } finally {
    await slipway.close();
  }
}
