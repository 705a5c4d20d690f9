import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { log } from "../../base/settings/log.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { requireNoFreeze } from "../../projects/freezes/requireNoFreeze.ts";
import { updateConfig } from "../configs/saveConfig.ts";
import { EnvironmentProblem } from "../failures.ts";
import { findConfig } from "../store/configRecords.ts";
import { dueFollowed, type FollowedConfig, recordLook } from "../store/followedConfigs.ts";
import { digestOf, readSourceFile } from "./readSourceFile.ts";

const atOnce = 4;
/** Of the five minutes that a run may take; the rest is looked at ten minutes later. */
const millisecondsForLooks = 60_000;

/**
 * Brings what changed in the files of repositories to the configurations that follow them (contract P 7.1): the
 * configuration is updated as by a request, so the workloads that refer to it are restarted; while production is frozen
 * it waits, and its record says so. May be done twice.
 */
export async function followConfigs(): Promise<void> {
  const deadline = Date.now() + millisecondsForLooks;
  await mapBounded(await dueFollowed(), atOnce, async (seen) => {
    if (Date.now() < deadline) await look(seen);
  });
}

async function look(seen: Item<FollowedConfig>): Promise<void> {
  try {
    await takeFile(seen);
  } catch (error) {
    const told = error instanceof ApiError ? error.description : undefined;
    const problem = told ?? (error instanceof EnvironmentProblem ? error.message : undefined);
    const { projectKey, envKey, name } = seen;
    if (problem === undefined)
      log.error("file of a configuration not followed", { projectKey, envKey, name, internal: String(error) });
    await recordLook(seen, problem ?? "the file could not be taken; it is tried again");
  }
}

async function takeFile(seen: Item<FollowedConfig>): Promise<void> {
  const { projectKey, envKey, configType, name } = seen;
  const found = await findConfig(seen, { consistent: true });
  if (found?.record === undefined) return;
  const yaml = await readSourceFile(found.record.source);
  const fileDigest = digestOf(yaml);
  if (fileDigest === seen.digest) return recordLook(seen, "");
  const at = { projectKey, envKey, production: found.environment.production };
  if (at.production) await requireNoFreeze([at]);
  await updateConfig(at, { name, type: configType, yaml, notes: {}, fileDigest }, { uid: "", name: "system" });
}
