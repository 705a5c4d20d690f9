import type { Problem } from "../../errors/apiError.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
import { privilegedJobProblem } from "../../projects/privilegedJobProblem.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { freestyle } from "../definition/kinds/freestyle.ts";
import { plugin } from "../definition/kinds/plugin.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";

/** The kinds with settings of their own, and the forms in which these come (contract W 5). */
const kinds: readonly string[] = [freestyle.type, plugin.type];
const forms = ["advanced_setting", "advanced_settings", "properties"];
const fields = ["privileged_mode", "use_host_docker_daemon"];

/** Fields of a definition that ask for what the project's boundary does not allow its jobs. It is read where one does. */
export async function lintPrivileged({ project, stages }: WorkflowDefinition): Promise<Problem[]> {
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
