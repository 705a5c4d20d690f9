import { nowSeconds } from "../../base/store/ids.ts";
import { imageName, type ServiceContainer } from "../../manifest/containers.ts";
import type { WorkloadName } from "../../manifest/replicas.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at, podSpecPath } from "../../manifest/workloads.ts";
import { requireSignedImages } from "../../packaging/images/verification/requireSignedImages.ts";
import { findRevision } from "../../projects/services/store/findRevision.ts";
import { EnvironmentBusy, EnvironmentProblem, failingWith } from "../failures.ts";
import { type Standing, serviceWithWorkload } from "../plan/standingService.ts";
import { nextVersionWrites } from "../plan/storeVersion.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { EnvironmentService } from "../store/environments.ts";
import { changeWorkload, type WorkloadChange } from "../workloads/changeWorkload.ts";
import type { Actor } from "./createEnvironment.ts";

export interface ImageUpdate {
  /** Absent: the service that holds the workload. */
  service: string | undefined;
  workload: WorkloadName;
  container: string;
  image: string;
  /** The task that asks, where it rolls the workload out. */
  rollout?: string;
}

/**
 * Changes the image of one container of a workload at once (contract P 5.8); later updates of the service keep it
 * (P 13.6). A Job is deleted and made again. Init containers are not looked at.
 * @throws ApiError 404 unknown environment; 6082 with the reason, and then nothing was changed
 */
export async function updateImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<void> {
  await explainingUpdate(asked, () => changeWorkload(imageChange(name, asked, actor)));
}

/** The change of the workload. @param found its service, where the caller has just read it */
export function imageChange(name: EnvironmentName, asked: ImageUpdate, actor: Actor, found?: Standing): WorkloadChange {
  const { workload, container, image } = asked;
  return {
    found,
    read: async () => serviceWithWorkload(await requireEnvironment(name), workload, asked.service),
    workload,
    rollout: asked.rollout,
    edit: async ({ environment, service, object }) => {
      const pinned = await signed(name, image);
      const changed = withImage(object, container, pinned);
      const set: Partial<EnvironmentService> & Pick<EnvironmentService, "containers" | "changedImages"> = {
        containers: service.containers.map((one) => (one.name === container ? renamed(one, pinned) : one)),
        changedImages: await changedImages(name, service, container, image),
        updatedAt: nowSeconds(),
      };
      const version = { operation: "image" as const, by: actor.name };
      const after = { ...service, ...set };
      return { object: changed, set, beside: (text) => nextVersionWrites(environment, after, text, version) };
    },
  };
}

/** The image as it may run in the environment. @throws ImagesRefused (contract decisions 14.10) */
async function signed({ projectKey, production }: EnvironmentName, image: string): Promise<string> {
  if (!production) return image;
  return (await requireSignedImages(projectKey, [image])).get(image) ?? image;
}

/** Runs what updates an image; its problems name the workload. @throws ApiError 6082 */
export function explainingUpdate<T>({ workload }: ImageUpdate, work: () => Promise<T>): Promise<T> {
  return failingWith(6082, async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof EnvironmentBusy || !(error instanceof EnvironmentProblem)) throw error;
      throw new EnvironmentProblem(`failed to update ${workload.kind} container image: ${error.message}`);
    }
  });
}

function renamed(container: ServiceContainer, image: string): ServiceContainer {
  return { ...container, image, imageName: imageName(image) };
}

/** An image counts as changed while it differs from that of the revision the service was deployed from. */
async function changedImages(
  { projectKey, production }: EnvironmentName,
  service: EnvironmentService,
  container: string,
  image: string,
): Promise<Record<string, string>> {
  const kind = production ? "production" : "test";
  const revision = await findRevision(projectKey, kind, service.name, service.revision);
  const { [container]: _before, ...others } = service.changedImages;
  const own = revision?.containers.find(({ name }) => name === container)?.image;
  return own === image ? others : { ...others, [container]: image };
}

function withImage(object: KubeObject, container: string, image: string): KubeObject {
  const { path, list, found } = findContainer(object, container);
  return setAt(
    object,
    path,
    list.map((one) => (one === found ? { ...found, image } : one)),
  );
}

interface FoundContainer {
  /** Of the list that contains it. */
  path: string[];
  list: unknown[];
  found: Record<string, unknown>;
}

/** A container of a workload by its name. @throws EnvironmentProblem that names those it has */
export function findContainer(object: KubeObject, container: string): FoundContainer {
  const path = [...(podSpecPath(object.kind) ?? []), "containers"];
  const containers = at(object, path);
  const list: unknown[] = Array.isArray(containers) ? containers : [];
  const found = list.filter(isRecord).find(({ name }) => name === container);
  if (found !== undefined) return { path, list, found };
  const names = list.map((one) => String(at(one, ["name"]))).join(", ");
  throw new EnvironmentProblem(
    `container "${container}" is not part of ${object.kind} "${object.metadata.name}"; its containers are: ${names}`,
  );
}

function setAt<T extends Record<string, unknown>>(map: T, [key = "", ...rest]: readonly string[], value: unknown): T {
  if (rest.length === 0) return { ...map, [key]: value };
  const inner = map[key];
  return { ...map, [key]: setAt(isRecord(inner) ? inner : {}, rest, value) };
}
