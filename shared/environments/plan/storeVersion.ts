import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { Write } from "../../base/store/writes.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import type { EnvironmentService } from "../store/environments.ts";
import {
  nextVersion,
  type VersionContent,
  type VersionOperation,
  type VersionSummary,
  versionWrites,
} from "../store/environmentVersions.ts";

/**
 * The next version of a service in its environment, to be written with the change that makes it (contract P 16.5). The
 * first write fails when another change took the number.
 */
export async function nextVersionWrites(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: Pick<EnvironmentService, "name" | "revision" | "variables" | "containers" | "changedImages" | "replicas">,
  text: StoredText,
  made: {
    operation: VersionOperation;
    by: string;
    task?: Pick<VersionSummary, "workflowKey" | "taskId">;
    release?: VersionContent["release"];
  },
): Promise<Write[]> {
  const owner = { projectKey, envKey, service: service.name };
  const { variables, containers, changedImages, replicas = {} } = service;
  return versionWrites(
    owner,
    {
      revision: await nextVersion(owner),
      createBy: made.by,
      createTime: nowSeconds(),
      operation: made.operation,
      images: imagesOf(containers),
      ...made.task,
    },
    {
      ...{ serviceRevision: service.revision, text, variables, containers, changedImages, replicas },
      ...(made.release && { release: made.release }),
    },
  );
}

function imagesOf(containers: readonly ServiceContainer[]): string[] {
  return [...new Set(containers.map(({ image }) => image))];
}
