import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { maskedTemplate } from "../kube/live/maskedTemplate.ts";
import { joinDocuments } from "../manifest/edit/documents.ts";
import { ManifestError } from "../manifest/manifestError.ts";
import { type PromisedService, promisedServices } from "./promisedServices.ts";
import { retagged } from "./rules/retagged.ts";
import type { WholeVersion } from "./store/versions.ts";

/**
 * The version as one YAML: the manifests of all services, and what charts render to, with the images by digest.
 * @throws ApiError 400 when the version promises nothing, or when text that a client sent as YAML is none
 */
export async function versionManifest(whole: WholeVersion): Promise<string> {
  return joinDocuments(await Promise.all(promisedServices(whole).map(manifestOf)));
}

async function manifestOf({ name, yaml, images, manifest }: PromisedService): Promise<string> {
  if (manifest !== undefined) return `# service ${name}\n${byDigest(await readStoredText(manifest), images)}`;
  const text = maskedTemplate(await readStoredText(yaml));
  if (text.trim() === "") {
    const lines = images.map((image) => `#   ${image.name}: ${image.image}`);
    return [`# service ${name}: the version has no manifest of it`, ...lines].join("\n");
  }
  const renamed = images.map(({ name: container, image }) => ({ container, sourceImage: "", targetImage: image }));
  try {
    return `# service ${name}\n${retagged(text, renamed)}`;
  } catch (error) {
    if (error instanceof ManifestError) throw new ApiError(400, `the manifest of service ${name}: ${error.message}`);
    throw error;
  }
}

/** Containers of a chart are called as it likes, so its images are found by what they are. */
function byDigest(text: string, images: PromisedService["images"]): string {
  return images.reduce((under, { tagged, image }) => {
    const whole = new RegExp(`${tagged.replaceAll(/[.+*?^$|()[\]{}\\/]/g, "\\$&")}(?![\\w.@-])`, "g");
    return under.replaceAll(whole, () => image);
  }, text);
}
