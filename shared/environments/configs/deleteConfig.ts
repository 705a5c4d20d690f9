import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { failingWith } from "../failures.ts";
import { previewDeletion } from "../preview/previewRemoval.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import type { ConfigType } from "../rules/configObject.ts";
import { changeConfig, seeConfig } from "./changeConfig.ts";
import { requireOwnConfig } from "./configOnCluster.ts";

/**
 * Deletes a configuration object from the cluster; its history stays and ends with the deletion (contract P 7.5). One
 * that is gone already is no error.
 * @throws ApiError 404 unknown environment; 6076 wrong state; 6096 with the reason
 */
export function deleteConfig(at: EnvironmentName, type: ConfigType, name: string, actor: Actor): Promise<void> {
  return failingWith(6096, () =>
    changeConfig(at, type, name, actor, async (config) => {
      const { client, call, ref, live, record } = config;
      await requireOwnConfig(config.environment, config);
      if (live !== undefined) await client.remove(ref, { uid: live.metadata.uid, ...call });
      const ended = record === undefined ? live === undefined : record.deleted && live === undefined;
      if (!ended) await config.note({ operation: "delete", yaml: "" });
    }),
  );
}

/** What deleting it would delete. @throws ApiError as `deleteConfig` */
export function previewConfigDeletion(at: EnvironmentName, type: ConfigType, name: string): Promise<ObjectPreview[]> {
  return failingWith(6096, async () => {
    const config = await seeConfig(at, type, name);
    await requireOwnConfig(config.environment, config);
    return config.live === undefined ? [] : [await previewDeletion(config.client, config.live, config.call)];
  });
}
