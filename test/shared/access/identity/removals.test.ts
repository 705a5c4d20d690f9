import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { finishGroupRemoval } from "../../../../shared/access/identity/removeGroup.ts";
import { finishUserRemoval } from "../../../../shared/access/identity/removeUser.ts";
import { bindingsOfUser } from "../../../../shared/access/identity/store/bindings.ts";
import {
  findAnyGroup,
  findGroup,
  markGroupDeleting,
  membersOf,
} from "../../../../shared/access/identity/store/groups.ts";
import { allTokenKeys } from "../../../../shared/access/identity/store/tokens.ts";
import { findAnyUser, findUser, markUserDeleting } from "../../../../shared/access/identity/store/users.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { type Person, storedPerson } from "../../../security/storedPerson.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const thrice = (work: () => Promise<void>) => Promise.all([work(), work(), work()]);

async function newGroup(name: string, people: readonly Person[]): Promise<string> {
  const body = { name, uids: people.map(({ uid }) => uid) };
  const { json } = await slipway.call<{ group_id: string }>("POST", "/api/v1/user-group", { body });
  return json.group_id;
}

describe("a deletion that the request and the reconciler finish at the same moment", () => {
  test("of a group disturbs neither of them", async () => {
    const people = await Promise.all([1, 2, 3].map((at) => storedPerson(`Member ${at}`)));
    const groupId = await newGroup("finished twice", people);
    const group = await findGroup(groupId);
    if (group === undefined) throw new Error("the group was not stored");
    await markGroupDeleting(group);
    await thrice(() => finishGroupRemoval(groupId));
    expect(await findAnyGroup(groupId)).toBeUndefined();
    for (const { uid } of people) expect((await findUser(uid))?.groups?.has(groupId) ?? false).toBe(false);
  });

  test("of a user disturbs neither of them", async () => {
    const person = await storedPerson("Finished twice", { namespace: "some", roles: { "read-only": [] } });
    const groups = await Promise.all([1, 2, 3].map((at) => newGroup(`of the finished ${at}`, [person])));
    const user = await findUser(person.uid);
    if (user === undefined) throw new Error("the person was not stored");
    await markUserDeleting(user);
    await thrice(() => finishUserRemoval(person.uid));
    expect(await findAnyUser(person.uid)).toBeUndefined();
    for (const groupId of groups) expect((await findGroup(groupId))?.userTotal).toBe(0);
  });
});

describe("a deletion that a crash cut off after its first step", () => {
  test("of a user shows the user nowhere, and the reconciler takes the rest away", async () => {
    const person = await storedPerson("Cut off", { namespace: "some", roles: { "read-only": [] } });
    const groupId = await newGroup("of the cut off", [person]);
    const user = await findUser(person.uid);
    if (user === undefined) throw new Error("the person was not stored");
    await markUserDeleting(user);
    const { status } = await slipway.call("GET", "/openapi/projects/project", { token: person.token });
    expect(status).toBe(401);
    expect((await slipway.call("GET", `/openapi/users/${person.uid}`)).status).toBe(404);
    const put = { body: { uids: [person.uid] } };
    expect((await slipway.call("POST", `/api/v1/user-group/${groupId}/bulk-create-users`, put)).status).toBe(400);
    await reconcile();
    expect(await findAnyUser(person.uid)).toBeUndefined();
    expect(await bindingsOfUser(person.uid)).toEqual([]);
    expect(await allTokenKeys(person.uid, undefined)).toEqual([]);
    expect(await membersOf(groupId)).toEqual([]);
    expect((await findGroup(groupId))?.userTotal).toBe(0);
  });

  test("of a group shows the group nowhere, and the reconciler takes the rest away and frees its name", async () => {
    const person = await storedPerson("Member");
    const groupId = await newGroup("half gone", [person]);
    const group = await findGroup(groupId);
    if (group === undefined) throw new Error("the group was not stored");
    await markGroupDeleting(group);
    expect((await slipway.call("GET", `/api/v1/user-group/${groupId}`)).status).toBe(404);
    const taken = await slipway.call("POST", "/api/v1/user-group", { body: { name: "half gone" } });
    expect(taken.status).toBe(400);
    await reconcile();
    expect(await findAnyGroup(groupId)).toBeUndefined();
    expect((await findUser(person.uid))?.groups?.has(groupId) ?? false).toBe(false);
    await newGroup("half gone", []);
    expect((await reconcile()).open).toBe(0);
  });
});
