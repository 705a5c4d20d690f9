import { randomUUID } from "node:crypto";
import { environmentVerbs } from "../../shared/access/identity/rules/collaboration.ts";
import type { TokenLimits } from "../../shared/access/identity/rules/grants.ts";
import { hashToken, newToken } from "../../shared/access/identity/session/tokenText.ts";
import { subjectOfUser } from "../../shared/access/identity/store/bindings.ts";
import {
  findCollaborations,
  markMember,
  type StoredMode,
  saveCollaborations,
} from "../../shared/access/identity/store/collaborations.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { retryOnConflict } from "../../shared/base/store/retryOnConflict.ts";
import { table } from "../../shared/base/store/table.ts";
import { create } from "../../shared/base/store/writes.ts";
import type { HeldRoles } from "../harness/giveRoles.ts";
import type { Standing } from "./isAllowed.ts";
import { forgetUser, storedPerson } from "./storedPerson.ts";

/** One column of the matrix. `status` 401 is said of those whom no token lets in. */
export interface MatrixCaller extends Standing {
  name: string;
  uid: string;
  token: string | null;
  isKnown: boolean;
}

/** Makes a caller: a user of its own, so that nothing one does changes what another may. */
export type MakeCaller = () => Promise<MatrixCaller>;

const nobody = { held: [], uid: "00000000-0000-4000-8000-000000000001", isKnown: false } as const;

/** Everybody who comes to every endpoint, by what is said of them. */
export function matrixCallers(here: string, elsewhere: string, environment: string): Record<string, MakeCaller> {
  const admin: HeldRoles = { namespace: "*", roles: { admin: [] } };
  const member = (role: string, namespace = here): HeldRoles => ({ namespace, roles: { [role]: [] } });
  return {
    "no token": async () => ({ name: "no token", token: null, ...nobody }),
    "a broken token": async () => ({
      name: "a broken token",
      token: `${newToken("api").slice(0, -6)}000000`,
      ...nobody,
    }),
    "an expired token": () => withToken("an expired token", [admin], { expiresAt: nowSeconds() - 1 }),
    "a deleted user": async () => {
      const person = await storedPerson("a deleted user", admin);
      await forgetUser(person);
      return { ...person, held: [], isKnown: false };
    },
    "a stranger": () => holderOf("a stranger"),
    "a member without verbs": () => holderOf("a member without verbs", member("read-project-only")),
    "a reader": () => holderOf("a reader", member("read-only")),
    "a project administrator": () => holderOf("a project administrator", member("project-admin")),
    "another project's administrator": () =>
      holderOf("another project's administrator", member("project-admin", elsewhere)),
    "a system administrator": () => holderOf("a system administrator", admin),
    "a reader of everything": () =>
      holderOf("a reader of everything", { namespace: "*", roles: { "global-read-only": [] } }),
    "an auditor": () => holderOf("an auditor", { namespace: "*", roles: { auditor: ["get_log_operation"] } }),
    "a member by collaboration": () => sharing("a member by collaboration", here, environment),
    "a member by collaboration on another environment": () =>
      sharing("a member by collaboration on another environment", here, `${environment}-not`),
    "an administrator's token that only reads": () =>
      withToken("an administrator's token that only reads", [admin], { limits: { readOnly: true } }),
    "an administrator's token of this project": () =>
      withToken("an administrator's token of this project", [admin], { limits: { projects: [here] } }),
    "an administrator's token of another project": () =>
      withToken("an administrator's token of another project", [admin], { limits: { projects: [elsewhere] } }),
  };
}

/** Somebody with these roles and an ordinary token. */
export async function holderOf(name: string, ...held: HeldRoles[]): Promise<MatrixCaller> {
  return { ...(await storedPerson(name, ...held)), held: described(held), isKnown: true };
}

async function withToken(
  name: string,
  held: HeldRoles[],
  token: { limits?: TokenLimits; expiresAt?: number },
): Promise<MatrixCaller> {
  const { uid } = await storedPerson(name, ...held);
  const text = newToken("api");
  await table().write(create({ ...keys.token(hashToken(text)), type: "token", uid, kind: "api", ...token }));
  const { limits } = token;
  return {
    name,
    uid,
    token: text,
    held: described(held),
    isKnown: token.expiresAt === undefined,
    ...(limits && { limits }),
  };
}

async function sharing(name: string, projectKey: string, environment: string): Promise<MatrixCaller> {
  const person = await storedPerson(name);
  const mode: StoredMode = {
    projectKey,
    name: randomUUID(),
    userIds: [person.uid],
    groupIds: [],
    environments: [{ name: environment, type: "share", verbs: environmentVerbs }],
    copies: {},
    recycleDay: 0,
    createdBy: "",
    createdAt: 0,
  };
  await retryOnConflict(async () => {
    const before = await findCollaborations(projectKey);
    const modes = [...(before?.modes ?? []), mode];
    await table().write(
      saveCollaborations(projectKey, before, { modes, leaving: [] }),
      markMember(subjectOfUser(person.uid), mode, true),
    );
  });
  return { ...person, held: [], shared: { environment, verbs: environmentVerbs }, isKnown: true };
}

/** Verbs of the predefined role that reads, as contract I 4.4 has them. */
const readVerbs = ["get_delivery", "get_test", "get_service", "get_production_service", "get_build"].concat([
  "get_workflow",
  "get_environment",
  "get_production_environment",
  "get_scan",
]);

function described(held: readonly HeldRoles[]): HeldRoles[] {
  return held.map(({ namespace, roles }) => ({
    namespace,
    roles: Object.fromEntries(
      Object.entries(roles).map(([name, verbs]) => [name, name === "read-only" ? readVerbs : verbs]),
    ),
  }));
}
