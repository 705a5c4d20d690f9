import { dues } from "./keys/keys.ts";
import { table } from "./table.ts";

export interface ServiceRemoval {
  projectKey: string;
  envKey: string;
  service: string;
}

/** Services whose objects are still to be taken away. */
export async function dueServiceRemovals(): Promise<ServiceRemoval[]> {
  const items = await table().query<object>({ index: "due", pk: dues.serviceRemovals });
  return items.map(({ pk, sk }) => {
    const [, projectKey = "", envKey = ""] = pk.split("#");
    return { projectKey, envKey, service: sk.slice("env#service#".length) };
  });
}

/** Users and groups that were deleted and of which something is left. */
export async function dueIdentityRemovals(): Promise<{ kind: "user" | "group"; id: string }[]> {
  const items = await table().query<object>({ index: "due", pk: dues.identityRemovals });
  return items.map(({ pk }) => {
    const [kind, id = ""] = pk.split("#");
    return { kind: kind === "user" ? "user" : "group", id };
  });
}

/** Keys of projects whose deletion is not finished. */
export async function dueProjectDeletions(): Promise<string[]> {
  const items = await table().query<object>({ index: "due", pk: dues.projectDeletions });
  return items.map(({ pk }) => pk.slice("project#".length));
}
