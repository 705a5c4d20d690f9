import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import type { ConfigType } from "../rules/configObject.ts";
import { type ConfigChange, findConfig, findConfigChanges } from "../store/configRecords.ts";
import { readConfigText } from "./configText.ts";

/** A change with its YAML as it was sent; empty for a deletion. */
export interface ReadConfigChange extends Omit<ConfigChange, "yaml"> {
  yaml: string;
}

/**
 * A page of the changes of a configuration, newest first (decisions 6.7); none for an object that was never changed
 * through the API. Changes are numbered, so every page costs the same.
 * @throws ApiError 404 unknown environment
 */
export async function readConfigHistory(
  at: EnvironmentName,
  type: ConfigType,
  name: string,
  { pageNum, pageSize }: { pageNum: number; pageSize: number },
): Promise<ReadConfigChange[]> {
  const config = { projectKey: at.projectKey, envKey: at.envKey, configType: type, name };
  const found = await findConfig(config, { consistent: false });
  if (found?.environment.production !== at.production) throw environmentMissing(at);
  const newest = (found.record?.revision ?? 0) - (pageNum - 1) * pageSize;
  if (newest < 1) return [];
  const changes = await findConfigChanges(config, Math.max(1, newest - pageSize + 1), newest);
  const owner = { environmentId: found.environment.environmentId, configType: type, name };
  return Promise.all(
    changes.map(async ({ revision, operation, by, at: time, yaml, source }) => ({
      ...{ revision, operation, by, at: time, source },
      yaml: await readConfigText(owner, yaml),
    })),
  );
}
