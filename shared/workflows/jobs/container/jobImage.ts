import { imageReference } from "../../../catalog/imageReference.ts";
import { ApiError } from "../../../errors/apiError.ts";
import { baseImages } from "../../../integrations/store/baseImages.ts";

const defaultLabel = "ubuntu 20.04";

/**
 * The image of a job of a workflow: a base image by its id or its label, one of those that always are there, or a full
 * reference (contract W 5 `runtime`, 10.1).
 * @throws ApiError 6160 naming what there is not
 */
export async function jobImage(
  jobName: string,
  { imageId, label }: { imageId: string | null | undefined; label: string | null | undefined },
): Promise<string> {
  const byId = imageId ? (await baseImages.find(imageId))?.shown.value : undefined;
  const name = label || defaultLabel;
  const found =
    byId ?? (await imageReference({ imageId: "", label: name })) ?? (await baseImages.findByName(name))?.shown.value;
  if (found !== undefined) return found;
  if (!imageId && /[/:]/.test(name)) return name;
  throw new ApiError(6160, `job ${jobName}: base image ${label || imageId} does not exist`);
}
