import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { overwrite, type Write } from "../../base/store/writes.ts";

/** Where a project tells of its versions (contract D 1.12): `<host>/<path>`. */
export interface VersionHook {
  enabled: boolean;
  host: string;
  path: string;
}

const none: VersionHook = { enabled: false, host: "", path: "" };

export async function findVersionHook(
  projectKey: string,
  options: { consistent?: boolean } = {},
): Promise<VersionHook> {
  const stored = await table().get<VersionHook>(keys.projectVersionHook(projectKey), options);
  if (stored === undefined) return none;
  const { enabled, host, path } = stored;
  return { enabled, host, path };
}

/** Who writes last wins. @param mustHold conditions of the same write */
export async function saveVersionHook(
  projectKey: string,
  hook: VersionHook,
  ...mustHold: readonly Write[]
): Promise<void> {
  const item = { ...keys.projectVersionHook(projectKey), type: "project-version-hook", ...hook };
  await table().write(overwrite(item), ...mustHold);
}
