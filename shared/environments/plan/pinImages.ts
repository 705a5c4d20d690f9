import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { extractContainers } from "../../manifest/containers.ts";
import { editManifest } from "../../manifest/edit/editManifest.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { mapPodImages, podImages } from "../../manifest/podImages.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { requireSignedImages } from "../../packaging/images/verification/requireSignedImages.ts";
import { findVerification } from "../../packaging/images/verification/store/verifications.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import type { PlannedRelease } from "../store/changes.ts";
import { findManifest } from "../store/environments.ts";
import type { RenderedPlan } from "./planServices.ts";

/**
 * Plans for a production environment whose project demands signatures: every image that is new to its service is checked
 * and pinned to the digest that was signed; one that is deployed there keeps its pin (contract decisions 14.10). Plans
 * for others are as they were.
 * @param named images that the user asked for by name: they are checked again, because their tag may have moved
 * @throws ImagesRefused; EnvironmentProblem for the version of a chart whose images were not known then
 */
export async function pinImages(
  environment: EnvironmentName,
  plans: readonly RenderedPlan[],
  named: ReadonlySet<string> = new Set(),
): Promise<RenderedPlan[]> {
  const { projectKey, production } = environment;
  if (!production || !(await findVerification(projectKey)).enabled) return [...plans];
  const wanted = await Promise.all(
    plans.map(async (plan) => {
      const isChart = plan.plan.release !== undefined;
      const standing = isChart ? pinnedOf(plan) : await standingImages(environment, plan.plan.name);
      const all = isChart ? Object.values(chartImagesOf(projectKey, plan)) : podImages(plan.objects);
      return { plan, standing, images: all.filter((image) => named.has(image) || !standing.has(image)) };
    }),
  );
  const signed = await requireSignedImages(
    projectKey,
    wanted.flatMap(({ images }) => images),
  );
  return wanted.map(({ plan, standing, images }) => {
    const fresh = new Set(images);
    const pinned = (image: string) => (fresh.has(image) ? signed.get(image) : standing.get(image)) ?? image;
    return plan.plan.release === undefined ? withImages(plan, pinned) : withPins(plan, plan.plan.release, pinned);
  });
}

/** @throws EnvironmentProblem for a version of before the project demanded signatures */
function chartImagesOf(projectKey: string, { plan, chartImages }: RenderedPlan): Readonly<Record<string, string>> {
  if (chartImages !== undefined) return chartImages;
  throw new EnvironmentProblem(
    `this version of ${plan.name} was deployed before project ${projectKey} demanded signed images, so its images were not recorded; deploy the chart with the values of that version instead`,
  );
}

function pinnedOf({ standingPins = {} }: RenderedPlan): Map<string, string> {
  return new Map(Object.entries(standingPins).flatMap(([name, pinned]) => [[name, pinned] as const, [pinned, pinned]]));
}

/** What Helm renders gets its digests on its way into the cluster; a release that is taken over stays as it is. */
function withPins(rendered: RenderedPlan, release: PlannedRelease, pinned: (image: string) => string): RenderedPlan {
  if (release.adopted !== undefined) return rendered;
  const entries = Object.entries(rendered.chartImages ?? {});
  const pins = Object.fromEntries(entries.map(([name, image]) => [name, pinned(image)]));
  const { objects, text } = withImages(rendered, (image) => pins[image] ?? image);
  return { ...rendered, objects, text, plan: { ...rendered.plan, release: { ...release, pins } } };
}

/** Images that a service has in its environment, as deployed there: by their names with and without the digest. */
async function standingImages({ projectKey, envKey }: EnvironmentName, service: string): Promise<Map<string, string>> {
  const manifest = await findManifest(projectKey, envKey, service);
  const images = manifest === undefined ? [] : podImages(parseManifest(await readStoredText(manifest.text)));
  return new Map(images.flatMap((image) => [[image.split("@")[0] ?? image, image] as const, [image, image] as const]));
}

function withImages(rendered: RenderedPlan, rename: (image: string) => string): RenderedPlan {
  const edit = (object: KubeObject): KubeObject => mapPodImages(object, rename);
  const objects = rendered.objects.map(edit);
  if (objects.every((object, at) => object === rendered.objects[at])) return rendered;
  const plan = { ...rendered.plan, containers: extractContainers(objects) };
  return { ...rendered, plan, objects, text: editManifest(rendered.text, edit) };
}
