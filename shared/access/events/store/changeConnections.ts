import { mustExist } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { changeSocketKeys } from "../../../base/store/keys/changeSocketKeys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, remove, update, type Write } from "../../../base/store/writes.ts";
import { listeningSeconds } from "./listeners.ts";

/** What a connection is told of. */
export interface Follows {
  /** Changes in these projects alone, and no release plans; absent: everything that the bearer may read. */
  projects?: readonly string[];
  /** Whose services are followed as well. */
  environment?: { projectKey: string; envKey: string };
  /** Whose jobs are followed as well. */
  task?: { projectKey: string; key: string; ownerId: string; taskId: number };
}

/** A connection of a change socket that is open. */
export interface ChangeConnection {
  connectionId: string;
  tokenHash: string;
  uid: string;
  /** Absent for an API token. */
  session?: string;
  /** Unix seconds; a connection whose client gives no sign of life until then counts no more. */
  until: number;
  /** Absent until it has said what it follows: before that nothing can be sent to it. */
  follows?: Follows;
  /** Unix milliseconds: what changed before, less what may be late, it was told when it said what it follows. */
  toldUntil?: number;
}

export async function findConnection(connectionId: string): Promise<Item<ChangeConnection> | undefined> {
  return table().get<ChangeConnection>(changeSocketKeys.connection(connectionId));
}

/** All that count; half a unit for about twenty, and as much again when `consistent`. */
export async function openConnections({ consistent }: { consistent: boolean }): Promise<ChangeConnection[]> {
  const { pk } = changeSocketKeys.connection("");
  const found = await table().query<ChangeConnection>({ pk, consistent });
  return found.filter(({ until }) => until >= nowSeconds());
}

export function connectionBegins(connection: Omit<ChangeConnection, "until" | "follows">): Write {
  const until = nowSeconds() + listeningSeconds;
  const key = changeSocketKeys.connection(connection.connectionId);
  return create({ ...connection, ...key, type: "change-connection", until, ttl: until + 3600 });
}

/** Notes a sign of life, and what is followed where that is given. @returns false when the connection is gone */
export async function renewConnection(connectionId: string, follows?: Follows): Promise<boolean> {
  const until = nowSeconds() + listeningSeconds;
  const followed = follows !== undefined && { follows, toldUntil: Date.now() };
  const set = { until, ttl: until + 3600, ...followed };
  return table().updateOne(update(changeSocketKeys.connection(connectionId), { set }, mustExist));
}

/** One that is gone already is no error. */
export async function removeConnection(connectionId: string): Promise<void> {
  await table().write(remove(changeSocketKeys.connection(connectionId)));
}
