import { jobKindOf } from "../definition/jobKinds.ts";
import type { JobPreviewer } from "./preview.ts";

/**
 * What jobs of a type would do to environments: the `preview.ts` in the folder of its kind, loaded when it is needed.
 * @returns undefined for kinds that do nothing to an environment by themselves
 */
export async function previewerOf(type: string): Promise<JobPreviewer | undefined> {
  if (!jobKindOf(type)?.previews) return undefined;
  const { preview }: { preview: JobPreviewer } = await import(`./${type}/preview.ts`);
  return preview;
}
