import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { config } from "../../base/settings/config.ts";
import { log } from "../../base/settings/log.ts";
import type { Key } from "../../base/store/keys/keys.ts";
import { findApiToken } from "../identity/store/tokens.ts";
import { findUser } from "../identity/store/users.ts";
import { hasForgotten } from "./closeForgotten.ts";
import { maskBody } from "./maskBody.ts";
import type { OperationFunction } from "./rules/functions.ts";
import type { OperationRecord, Origin } from "./rules/operationRecord.ts";
import { type Appended, appendOperation } from "./store/append.ts";
import { recordAnswered, startOperation } from "./store/pending.ts";

/** An operation as the pipeline saw it. */
export interface Operation {
  uid: string;
  /** Display name when the pipeline had loaded it; looked up otherwise. */
  username: string | undefined;
  projectKey: string;
  method: string;
  function: OperationFunction;
  scene: string;
  targets: string[];
  detail: string;
  /** Decoded body; undefined stores an empty one. */
  body: unknown;
  bodyType: string;
  status: number;
  createdAt: number;
  /** Absent for what no request asked for. */
  origin?: RequestOrigin;
}

/** As `Origin`; the name of a token that does not carry it is looked up. */
type RequestOrigin = Omit<Origin, "tokenName"> & { tokenName?: string };

const maxBodyCharacters = 16 * 1024;
const maxDetailCharacters = 1024;
/** How often the log's growth lets old records be looked for, where they are not kept for ever. */
const recordsPerLook = 100;

/**
 * Notes that a request is about to change something, before it does (decisions 18.1). @returns what `recordOperation`
 * closes; `removePending` takes it back
 */
export async function openOperation(operation: Omit<Operation, "status">): Promise<Key> {
  return startOperation(await recordOf({ ...operation, status: 0 }));
}

/**
 * Appends one record to the operation log, secrets masked, the body cut at 16 KiB (contract I 9.1, 9.5).
 * @param pending what `openOperation` noted of the request
 */
export async function recordOperation(operation: Operation, pending?: Key): Promise<void> {
  const record = await recordOf(operation);
  try {
    // Records of one project compete for the end of its chain; those of one process need not.
    const appended = await oneAtATime(record.projectKey, () => appendOperation(record, pending && { pending }));
    if (leavesWork(appended) || (await hasForgotten())) await wakeReconciler();
  } catch (error) {
    if (pending !== undefined) await recordAnswered(pending, record.status).catch(() => undefined);
    throw error;
  }
}

async function recordOf(operation: Operation): Promise<OperationRecord> {
  const { uid, body, username, origin, ...rest } = operation;
  const name = username ?? (await findUser(uid))?.name ?? "";
  return {
    ...rest,
    detail: rest.detail.slice(0, maxDetailCharacters),
    targets: rest.targets.map((target) => target.slice(0, maxDetailCharacters)),
    projectKey: rest.projectKey.slice(0, maxDetailCharacters),
    username: name,
    requestBody: body === undefined ? "" : JSON.stringify(maskBody(body)).slice(0, maxBodyCharacters),
    ...(origin && { origin: await recordedOrigin(uid, origin) }),
  };
}

async function recordedOrigin(uid: string, { tokenName, ...origin }: RequestOrigin): Promise<Origin> {
  const { tokenId } = origin;
  const name = tokenId === "" ? "" : (tokenName ?? (await findApiToken(uid, tokenId))?.name ?? "");
  return { ...origin, tokenName: name };
}

function leavesWork({ sealed, sequence }: Appended): boolean {
  const looksForOld = config().SLIPWAY_OPERATION_LOG_DAYS > 0 && sequence % recordsPerLook === 0;
  return !sealed || looksForOld;
}

/** The record is stored whatever comes of this; the next run of the reconciler does what is left. */
async function wakeReconciler(): Promise<void> {
  try {
    await enableReconciler();
  } catch (error) {
    log.warn("the reconciler could not be woken", { internal: String(error) });
  }
}

const queues = new Map<string, Promise<unknown>>();

/** Lets work of one name follow each other within this process, so that it does not compete with itself. */
async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(name) ?? Promise.resolve();
  const own = before.then(work, work);
  queues.set(name, own);
  try {
    return await own;
  } finally {
    if (queues.get(name) === own) queues.delete(name);
  }
}
