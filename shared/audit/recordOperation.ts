import { findUser } from "../store/identity/users.ts";
import { appendOperation } from "../store/operationLogs.ts";
import { maskBody } from "./maskBody.ts";

/** An operation as the pipeline saw it. */
export interface Operation {
  uid: string;
  /** Display name when the pipeline had loaded it; looked up otherwise. */
  username: string | undefined;
  projectKey: string;
  method: string;
  function: string;
  scene: string;
  targets: string[];
  detail: string;
  /** Decoded body; undefined stores an empty one. */
  body: unknown;
  bodyType: string;
  status: number;
  createdAt: number;
}

const mostBodyCharacters = 16 * 1024;
const mostDetailCharacters = 1024;

/** Appends one record to the operation log, secrets masked, the body cut at 16 KiB (contract I 9.1, 9.5). */
export async function recordOperation(operation: Operation): Promise<void> {
  const { uid, body, username, ...rest } = operation;
  const name = username ?? (await findUser(uid))?.name ?? "";
  await appendOperation({
    ...rest,
    detail: rest.detail.slice(0, mostDetailCharacters),
    targets: rest.targets.map((target) => target.slice(0, mostDetailCharacters)),
    projectKey: rest.projectKey.slice(0, mostDetailCharacters),
    username: name,
    requestBody: body === undefined ? "" : JSON.stringify(maskBody(body)).slice(0, mostBodyCharacters),
  });
}
