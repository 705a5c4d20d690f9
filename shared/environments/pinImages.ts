import { loadText } from "../aws/objects/objectStore.ts";
import { ApiError } from "../errors/apiError.ts";
import { requireSignedImages } from "../images/verification/requireSignedImages.ts";
import { findVerification } from "../images/verification/store/verifications.ts";
import { extractContainers } from "../manifest/containers.ts";
import { editManifest } from "../manifest/editManifest.ts";
import type { KubeObject } from "../manifest/kubeObject.ts";
import { parseManifest } from "../manifest/parseManifest.ts";
import { mapPodImages, podImages } from "../manifest/podImages.ts";
import type { RenderedPlan } from "./planServices.ts";
import type { EnvironmentName } from "./requireEnvironment.ts";
import { findManifest } from "./store/environments.ts";

/**
 * Plans for a production environment whose project demands signatures: every image that is new to its service is checked
 * and pinned to the digest that was signed; one that stands there keeps its pin (contract decisions 14.10). Plans for others
 * are as they were.
 * @param named images that somebody asked for by name: they are checked again, because their tag may have moved
 * @throws ImagesRefused; ApiError 501 for charts, whose images Helm renders anew
 */
export async function pinImages(
  environment: EnvironmentName,
  plans: readonly RenderedPlan[],
  named: ReadonlySet<string> = new Set(),
): Promise<RenderedPlan[]> {
  const { projectKey, production } = environment;
  if (!production || !(await findVerification(projectKey)).enabled) return [...plans];
  const chart = plans.find(({ plan }) => plan.release !== undefined);
  if (chart !== undefined)
    throw new ApiError(
      501,
      `project ${projectKey} demands signed images in production, and images of charts cannot be checked yet: service ${chart.plan.name} is a chart`,
    );
  const wanted = await Promise.all(
    plans.map(async (plan) => {
      const standing = await standingImages(environment, plan.plan.name);
      const images = podImages(plan.objects).filter((image) => named.has(image) || !standing.has(image));
      return { plan, standing, images };
    }),
  );
  const signed = await requireSignedImages(
    projectKey,
    wanted.flatMap(({ images }) => images),
  );
  return wanted.map(({ plan, standing, images }) => {
    const fresh = new Set(images);
    return withImages(plan, (image) => (fresh.has(image) ? signed.get(image) : standing.get(image)) ?? image);
  });
}

/** Images that a service has in its environment, with what stands there: by their names with and without the digest. */
async function standingImages({ projectKey, envKey }: EnvironmentName, service: string): Promise<Map<string, string>> {
  const manifest = await findManifest(projectKey, envKey, service);
  const images = manifest === undefined ? [] : podImages(parseManifest(await loadText(manifest.text)));
  return new Map(images.flatMap((image) => [[image.split("@")[0] ?? image, image] as const, [image, image] as const]));
}

function withImages(rendered: RenderedPlan, rename: (image: string) => string): RenderedPlan {
  const edit = (object: KubeObject): KubeObject => mapPodImages(object, rename);
  const objects = rendered.objects.map(edit);
  if (objects.every((object, at) => object === rendered.objects[at])) return rendered;
  const plan = { ...rendered.plan, containers: extractContainers(objects) };
  return { ...rendered, plan, objects, text: editManifest(rendered.text, edit) };
}
