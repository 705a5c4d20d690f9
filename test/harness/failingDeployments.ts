import { plannerOf } from "../../shared/workflows/jobs/planners.ts";

/** The spec of a `deploy` job that a start reaches here although the kind cannot run: it fails at once, and counts as a deployment. */
export const failingDeployment = { fails_here: true };

const notRun = await plannerOf("deploy");
const { expand } = notRun;
notRun.expand = async (job, scope) =>
  job.spec?.fails_here === true
    ? [{ parts: [], spec: { ...job.spec }, run: { ...job.spec }, timeoutMinutes: 0 }]
    : expand(job, scope);
