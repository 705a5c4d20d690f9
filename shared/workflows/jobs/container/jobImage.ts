import { findJobImage, missingImage, type NamedImage } from "../../../definitions/findJobImage.ts";
import { ApiError } from "../../../errors/apiError.ts";

/** The image of a job, as `findJobImage` says. @throws ApiError 6160 naming what there is not */
export async function jobImage(jobName: string, named: NamedImage): Promise<string> {
  const found = await findJobImage(named);
  if (found !== undefined) return found;
  throw new ApiError(6160, `job ${jobName}: ${missingImage(named)}`);
}
