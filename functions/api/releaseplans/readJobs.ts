import { randomUUID } from "node:crypto";
import { findUser } from "../../../shared/access/identity/store/users.ts";
import { storeText } from "../../../shared/base/aws/objects/objectStore.ts";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { ApiError, badRequest } from "../../../shared/base/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { dependencyProblem } from "../../../shared/releaseplans/rules/dependencies.ts";
import type { PlanJob } from "../../../shared/releaseplans/rules/plan.ts";
import { createWorkflowSpec } from "../../../shared/releaseplans/workflowSpec.ts";
import type { JobInput } from "./planSchemas.ts";
import { workflowRefusal } from "./rights.ts";

const atOnce = 4;

/** Jobs as they are kept. @throws ApiError 400, 403, 6542, 6545 naming the job's place */
export async function readJobs(planId: string, inputs: readonly JobInput[], caller: Caller): Promise<PlanJob[]> {
  const indexed = inputs.map((input, at) => ({ input, at }));
  const jobs = await mapBounded(indexed, atOnce, ({ input, at }) => readJob(planId, input, caller, `jobs[${at}]`));
  requireDependencies(jobs, (at) => `jobs[${at}].depends_on`);
  return jobs;
}

/** @throws ApiError 400 naming the first job that depends on what it cannot */
export function requireDependencies(jobs: readonly PlanJob[], placeOf: (at: number) => string): void {
  const found = dependencyProblem(jobs);
  if (found !== undefined) throw badRequest([{ in: "body", path: placeOf(found.at), problem: found.problem }]);
}

/** A job that nothing has been done with yet. @param place where it is in the body */
export async function readJob(planId: string, input: JobInput, caller: Caller, place: string): Promise<PlanJob> {
  const { name, type, manager_id, depends_on } = input;
  const job: Omit<PlanJob, "spec"> = {
    ...{ id: randomUUID(), name, type, dependsOn: depends_on ?? [], status: "", lastStatus: "", updated: false },
    ...{ executedBy: "", executedTime: 0, ...(await managerOf(manager_id, place)) },
    remark: await storeText(input.spec.remark),
  };
  if (input.type === "text") return { ...job, spec: await storeText(input.spec.content) };
  return { ...job, ...(await workflowPart(planId, input, caller, place)) };
}

async function managerOf(managerId: string, place: string): Promise<Pick<PlanJob, "manager" | "managerId">> {
  if (managerId === "") return { manager: "", managerId };
  const user = await findUser(managerId);
  if (user !== undefined) return { manager: user.name, managerId };
  const problem = `no user has the id ${managerId}`;
  throw badRequest([{ in: "body", path: `${place}.manager_id`, problem }]);
}

/** The caller who saves it must be allowed to run it: the plan starts it for the user who executes the job. */
async function workflowPart(
  planId: string,
  { spec }: Extract<JobInput, { type: "workflow" }>,
  caller: Caller,
  place: string,
) {
  const { project_key: projectKey, workflow_key: key, parameters, inputs } = spec;
  const refused = await workflowRefusal(caller, "run_workflow", { projectKey, key });
  if (refused !== undefined) throw new ApiError(403, `${place}.spec: ${refused}`);
  const given = { params: parameters ?? [], inputs: inputs ?? [], notifyInputs: [] };
  try {
    return await createWorkflowSpec(planId, { projectKey, key, given }, taskActor(caller));
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 6542 && error.code !== 6545)) throw error;
    const path = error.code === 6542 ? `${place}.spec.workflow_key` : `${place}.spec`;
    const { description } = badRequest([{ in: "body", path, problem: error.description }]);
    const problems = [{ in: "body", path, problem: error.description }];
    throw new ApiError(error.code, description, { extra: { problems } });
  }
}
