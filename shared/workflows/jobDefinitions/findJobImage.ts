import { baseImages, builtInImages, findBaseImage } from "../../integrations/store/baseImages.ts";

const defaultLabel = "ubuntu 20.04";

/** How a job of a workflow names its image: by the id of a base image, by a label, or as a full reference. */
export interface NamedImage {
  imageId: string | null | undefined;
  label: string | null | undefined;
}

/**
 * The image of a job of a workflow: a base image by its id or its label, one of those that always are there, or a full
 * reference (contract W 5 `runtime`, 10.1). Undefined where there is none.
 */
export async function findJobImage({ imageId, label }: NamedImage): Promise<string | undefined> {
  const builtIn = imageId ? builtInImages.find(({ id }) => id === imageId)?.reference : undefined;
  const byId = builtIn ?? (imageId ? (await baseImages.find(imageId))?.shown.value : undefined);
  const name = label || defaultLabel;
  const found = byId ?? (imageId && !label ? undefined : (await findBaseImage(name))?.reference);
  return found ?? (!imageId && /[/:]/.test(name) ? name : undefined);
}

export function missingImage({ imageId, label }: NamedImage): string {
  return `base image ${label || imageId} does not exist`;
}
