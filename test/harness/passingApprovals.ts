import { runner as approvalRunner } from "../../shared/workflows/jobs/approval/runner.ts";
import { passed } from "../../shared/workflows/jobs/runner.ts";

/**
 * The spec of an approval that passes at once, for tests of the engine: no kind of job ends by the engine alone, so the
 * runner of approvals is told here to let this one pass. To everything else it is an approval by whoever starts the task.
 */
export const passing = {
  ...{ type: "native", passes_at_once: true },
  native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] },
};

const { begin } = approvalRunner;
approvalRunner.begin = async (run) => (run.spec.passes_at_once === true ? passed() : begin(run));
