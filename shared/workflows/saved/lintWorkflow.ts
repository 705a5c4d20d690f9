import * as z from "zod";
import { readValue } from "../../base/common/readValue.ts";
import { ApiError, badRequest, type Problem } from "../../base/errors/apiError.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { messageAddressProblems } from "../../integrations/notify/messageAddresses.ts";
import { webhookTypes } from "../../integrations/notify/rules/channels/channels.ts";
import { isForProject } from "../../integrations/rules/projectsOf.ts";
import type { Integration } from "../../integrations/store/integrationStore.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { privilegedJobProblem } from "../../projects/privilegedJobProblem.ts";
import { requireProject } from "../../projects/store/projects.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { jobKindOf } from "../definition/jobKinds.ts";
import { keyProblem, lintDefinition } from "../definition/lint.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";
import { type DefinitionWarning, definitionWarnings } from "../definition/warnings.ts";
import { findJobImage, missingImage } from "../jobDefinitions/findJobImage.ts";
import { kind as freestyle } from "../jobs/freestyle/kind.ts";
import { kind as plugin } from "../jobs/plugin/kind.ts";
import { lintApprovals } from "./lintApprovals.ts";
import { circleProblems } from "./startCircle.ts";

/** The kinds with settings of their own, and the forms in which these come (contract W 5). */
const kinds: readonly string[] = [freestyle.type, plugin.type];
const forms = ["advanced_setting", "advanced_settings", "properties"];
const fields = ["privileged_mode", "use_host_docker_daemon"];

/** Fields of a definition that ask for what the project's boundary does not allow its jobs. It is read where one does. */
async function lintPrivileged({ project, stages }: WorkflowDefinition): Promise<Problem[]> {
  const paths = placedJobs(stages).flatMap(({ job, path }) =>
    kinds.includes(job.type) ? askingFields(job.spec ?? {}).map((field) => `${path}.spec.${field}`) : [],
  );
  const problem = paths.length === 0 ? undefined : await privilegedJobProblem(project);
  return problem === undefined ? [] : paths.map((path) => bodyProblem(path, problem));
}

function askingFields(spec: Record<string, unknown>): string[] {
  return forms.flatMap((form) => {
    const settings = spec[form];
    return isRecord(settings) ? fields.filter((field) => settings[field] === true).map((one) => `${form}.${one}`) : [];
  });
}

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
    ...(await lintIntegrations(definition)),
    ...(await circleProblems(definition)),
  ];
  // Chat services are asked about what can be read.
  if (problems.length === 0) problems.push(...(await lintApprovals(definition)));
  if (problems.length === 0) return definitionWarnings(definition);
  const { description, extra } = badRequest(problems);
  throw new ApiError(6545, description, { extra });
}

const withChannel = z.object({
  webhook_type: z.enum(webhookTypes, `must be one of ${webhookTypes.join(", ")}`),
});

/**
 * Notification jobs of no channel, and addresses that messages would never reach; whether a setting is complete is reported
 * when it would fire.
 */
function messageProblems({ notify_ctls, stages }: WorkflowDefinition): Problem[] {
  const jobs = placedJobs(stages);
  const sending = jobs.flatMap(({ job: { type, spec }, path }) =>
    type === "notification" ? [[`${path}.spec`, spec ?? {}] as const] : [],
  );
  const ofJobs = jobs.flatMap(({ job, path }) =>
    job.notify_ctls.map((ctl, at) => [`${path}.notify_ctls[${at}]`, ctl] as const),
  );
  const ctls = [...notify_ctls.map((ctl, at) => [`notify_ctls[${at}]`, ctl] as const), ...ofJobs, ...sending];
  return [
    ...sending.flatMap(([place, spec]) =>
      (readValue(withChannel, spec).refused ?? []).map(({ path, message }) =>
        bodyProblem([place, ...path].join("."), message),
      ),
    ),
    ...ctls.flatMap(([place, ctl]) =>
      messageAddressProblems(ctl).map(({ path, problem }) => bodyProblem([place, ...path].join("."), problem)),
    ),
  ];
}

/** Images of scripts that there are not (decisions 19.8): a start would be refused. */
async function lintImages({ stages }: WorkflowDefinition): Promise<Problem[]> {
  const problems = placedJobs(stages).map(async ({ job, path }): Promise<Problem[]> => {
    const spec = job.type === freestyle.type ? freestyle.schema.safeParse(job.spec ?? {}).data : undefined;
    const form = spec?.runtime ? "runtime" : "properties";
    const place = spec?.[form];
    if (!place?.image_id && !place?.build_os) return [];
    const named = { imageId: place.image_id, label: place.build_os };
    if ((await findJobImage(named)) !== undefined) return [];
    const field = place.build_os ? "build_os" : "image_id";
    return [bodyProblem(`${path}.spec.${form}.${field}`, `job ${job.name}: ${missingImage(named)}`)];
  });
  return (await Promise.all(problems)).flat();
}

/**
 * Integrations that are not for the project of the workflow (record 211). One that does not exist is no problem before a
 * start: the definition may come from another installation.
 */
async function lintIntegrations({ project, stages }: WorkflowDefinition): Promise<Problem[]> {
  const named = placedJobs(stages).flatMap(({ job, path }) => {
    const uses = jobKindOf(job.type)?.uses;
    const id = uses && job.spec?.[uses.field];
    if (uses === undefined || typeof id !== "string" || id === "") return [];
    return [{ key: keys.integration(uses.kind, id), path: `${path}.spec.${uses.field}` }];
  });
  const distinct = new Map(named.map(({ key }) => [key.pk, key]));
  const records = await table().getMany<Integration<{ projects: readonly string[] }>>([...distinct.values()]);
  const foreign = new Set(records.filter(({ shown }) => !isForProject(shown, project)).map(({ pk }) => pk));
  return named
    .filter(({ key }) => foreign.has(key.pk))
    .map(({ path }) => bodyProblem(path, `is not for project ${project}: an administrator adds the project to it`));
}
