import { ApiError, badRequest, type Problem } from "../../errors/apiError.ts";
import { requireProject } from "../../projects/store/projects.ts";
import { messageAddressProblems } from "../../settings/messageAddresses.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { keyProblem, lintDefinition } from "../definition/lint.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";
import { type DefinitionWarning, definitionWarnings } from "../definition/warnings.ts";
import { lintApprovals } from "./lintApprovals.ts";
import { lintImages } from "./lintImages.ts";
import { lintPrivileged } from "./lintPrivileged.ts";
import { circleProblems } from "./startCircle.ts";

/**
 * Refuses a definition that could not run (contract W 2.4 step 8), with every problem at once; chat services whose approvals
 * it has are asked.
 * @returns what of it may not do what its author means (decisions 19.2, 19.9)
 * @throws ApiError 404 for an unknown project; 6545
 */
export async function lintWorkflow(definition: WorkflowDefinition): Promise<DefinitionWarning[]> {
  const { projectType } = await requireProject(definition.project);
  if (projectType === "loaded") throw new ApiError(6545, "common workflow only support k8s and helm project");
  const ofKey = keyProblem(definition.name);
  const problems: Problem[] = [
    ...(ofKey === undefined ? [] : [{ in: "body" as const, path: "name", problem: ofKey }]),
    ...lintDefinition(definition),
    ...messageProblems(definition),
    ...(await lintPrivileged(definition)),
    ...(await lintImages(definition)),
    ...(await circleProblems(definition)),
  ];
  // Chat services are asked about what can be read.
  if (problems.length === 0) problems.push(...(await lintApprovals(definition)));
  if (problems.length === 0) return definitionWarnings(definition);
  const { description, extra } = badRequest(problems);
  throw new ApiError(6545, description, { extra });
}

/** Addresses that messages would never reach; whether a setting is complete is reported when it would fire. */
function messageProblems({ notify_ctls, stages }: WorkflowDefinition): Problem[] {
  const ofJobs = placedJobs(stages).flatMap(({ job, path }) => [
    ...job.notify_ctls.map((ctl, at) => [`${path}.notify_ctls[${at}]`, ctl] as const),
    ...(job.type === "notification" ? [[`${path}.spec`, job.spec ?? {}] as const] : []),
  ]);
  return [...notify_ctls.map((ctl, at) => [`notify_ctls[${at}]`, ctl] as const), ...ofJobs].flatMap(([place, ctl]) =>
    messageAddressProblems(ctl).map(({ path, problem }) => bodyProblem([place, ...path].join("."), problem)),
  );
}
