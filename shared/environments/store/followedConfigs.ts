import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, padded } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { overwrite, remove, update, type Write } from "../../base/store/writes.ts";
import type { ConfigName } from "./configRecords.ts";

/** A configuration that follows a file of a repository. */
export interface FollowedConfig extends ConfigName {
  /** SHA-256 of the text of the file that was seen last. */
  digest: string;
  /** Why the file, or its content, could not be taken at the last look; empty when it could. */
  problem: string;
}

/** Files are looked at no oftener. */
const secondsBetweenLooks = 600;

const keyOf = ({ projectKey, envKey, configType, name }: ConfigName) =>
  keys.followedConfig(projectKey, envKey, configType, name);
const nextLook = () => ({ duePk: dues.followedConfigs, dueSk: padded(nowSeconds() + secondsBetweenLooks) });

/** Written with the change of the configuration that follows. */
export function follow({ projectKey, envKey, configType, name }: ConfigName, digest: string): Write {
  const config = { projectKey, envKey, configType, name };
  return overwrite({ ...keyOf(config), type: "followed-config", ...config, digest, problem: "", ...nextLook() });
}

export function unfollow(config: ConfigName): Write {
  return remove(keyOf(config));
}

/** Undefined for a configuration that follows no file. */
export function findFollowed(config: ConfigName): Promise<Item<FollowedConfig> | undefined> {
  return table().get<FollowedConfig>(keyOf(config));
}

/** Notes what a look found; one that was saved or ended meanwhile stays as it is. */
export async function recordLook(seen: Item<FollowedConfig>, problem: string): Promise<void> {
  await tryWrite(
    table().write(update(keyOf(seen), { set: { problem, ...nextLook() } }, mustHaveVersion(seen.version))),
  );
}

/** Those whose file is to be looked at now. */
export async function dueFollowed(): Promise<Item<FollowedConfig>[]> {
  const between = [padded(0), padded(nowSeconds())] as const;
  const due = await table().query<object>({ index: "due", pk: dues.followedConfigs, between });
  return table().getMany<FollowedConfig>(due.map(({ pk, sk }) => ({ pk, sk })));
}

export async function hasFollowed(): Promise<boolean> {
  return (await table().query<object>({ index: "due", pk: dues.followedConfigs, limit: 1 })).length > 0;
}
