import { findJobImage, missingImage } from "../../definitions/findJobImage.ts";
import type { Problem } from "../../errors/apiError.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { freestyle } from "../definition/kinds/freestyle.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";

/** Images of scripts that there are not (decisions 19.8): a start would be refused. */
export async function lintImages({ stages }: WorkflowDefinition): Promise<Problem[]> {
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
