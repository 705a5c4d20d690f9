import { baseImages, builtInImages } from "../../integrations/store/baseImages.ts";
import type { JobImage } from "../definition/script/scriptJob.ts";

/**
 * Where the image of a job is now. A base image is held as long as something refers to it.
 * @returns undefined when it is gone all the same
 */
export async function imageReference({ imageId, label }: JobImage): Promise<string | undefined> {
  if (imageId === "") return builtInImages.find((image) => [image.label, image.name].includes(label))?.reference;
  return (await baseImages.find(imageId))?.shown.value;
}
