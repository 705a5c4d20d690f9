import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { leaveAllModes } from "../../../../shared/access/identity/leaveAllModes.ts";
import type { Copy } from "../../../../shared/access/identity/rules/collaboration.ts";
import { findCollaborations, saveCollaborations } from "../../../../shared/access/identity/store/collaborations.ts";
import { config } from "../../../../shared/base/settings/config.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create, update as updateItem } from "../../../../shared/base/store/writes.ts";
import { openDefinition } from "../../../../shared/workflows/saved/credentials.ts";
import { findWorkflow } from "../../../../shared/workflows/saved/store/workflows.ts";
import { localClusterId } from "../../../harness/boutique.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { expectError } from "../../../security/expectError.ts";
import { type Person, storedPerson } from "../../../security/storedPerson.ts";

let slipway: Slipway;
const project = "shop";
const group = "11111111-2222-4333-8444-666666666666";
const success = { message: "success" };
const reading = ["get_environment"];
const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: {{.colour}}}\n";

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  for (const key of [project, "other"]) {
    const body = { project_name: key, project_key: key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
  const service_variable_kvs = [{ key: "colour", value: "red", type: "string" }];
  const service = { service_name: "settings", yaml, variable_yaml: service_variable_kvs };
  expect(
    (await slipway.call("POST", `/openapi/service/yaml/raw?projectKey=${project}`, { body: service })).json,
  ).toEqual(success);
  for (const [prefix, env_key] of [
    ["environments", "dev"],
    ["environments", "qa"],
    ["environments/production", "prod"],
  ]) {
    const registry_id = "0123456789abcdef12345679";
    const services = [{ service_name: "settings", variable_kvs: [{ key: "colour", value: "blue" }] }];
    const body = { env_key, namespace: `shop-${env_key}`, cluster_id: localClusterId, registry_id, services };
    const made = await slipway.call("POST", `/openapi/${prefix}?projectKey=${project}`, { body });
    expect(made.json).toEqual(success);
  }
  await table().write(
    create({ ...keys.group(group), type: "group", groupId: group, name: "crew", description: "", userTotal: 0 }),
  );
});

afterAll(() => slipway.close());

function createMode(body: Record<string, unknown>, token?: string) {
  return slipway.call("POST", "/openapi/collaborations", {
    body: { project_key: project, ...body },
    ...(token !== undefined && { token }),
  });
}

const share = (name: string, verbs: readonly string[]) => ({ name, collaboration_type: "share", verbs });
const copyOf = (name: string, verbs: readonly string[]) => ({ name, collaboration_type: "new", verbs });
const endMode = (name: string) => slipway.call("DELETE", `/openapi/collaborations/${name}?projectKey=${project}`);
const listed = async ({ token }: Person, kind = "") =>
  (
    await slipway.call<{ env_key: string }[]>("GET", `/openapi/environments${kind}?projectKey=${project}`, { token })
  ).json.map(({ env_key }) => env_key);
const read = async ({ token }: Person, env: string) =>
  (await slipway.call("GET", `/openapi/environments/${env}?projectKey=${project}`, { token })).status;
const projectsOf = async ({ token }: Person) =>
  (await slipway.call<{ total: number }>("GET", "/openapi/projects/project", { token })).json.total;

async function join({ uid }: Person): Promise<void> {
  await table().write(
    updateItem(keys.user(uid), { add: { groups: new Set([group]) } }, mustExist),
    create({ ...keys.groupMember(group, uid), type: "group-member" }),
  );
}

test("an environment that a mode makes copies of stays as long as the mode does, one that it shares need not", async () => {
  const remove = (name: string) =>
    slipway.call("DELETE", `/openapi/environments/${name}?projectKey=${project}&isDelete=true`);
  const person = await storedPerson("base user");
  const envs = [copyOf("base", reading), share("lent", reading)];
  for (const env_key of ["base", "lent"]) {
    const registry_id = "0123456789abcdef12345679";
    const body = { env_key, namespace: `shop-${env_key}`, cluster_id: localClusterId, registry_id, services: [] };
    expect((await slipway.call("POST", `/openapi/environments?projectKey=${project}`, { body })).json).toEqual(success);
  }
  expect((await createMode({ name: "of base", user_ids: [person.uid], envs })).json).toEqual(success);
  expect(expectError(await remove("base"), 400, "a base").code).toBe(6077);
  expect((await remove("lent")).json).toEqual(success);
  expect((await endMode("of base")).json).toEqual(success);
  expect((await remove("base")).json).toEqual(success);
});

describe("a mode that shares", () => {
  test("gives its verbs on the named environments and makes its users members, from the next request on", async () => {
    const person = await storedPerson("shared with");
    expect([await read(person, "dev"), await projectsOf(person)]).toEqual([403, 0]);
    const envs = [share("dev", reading), share("prod", ["get_production_environment"])];
    expect((await createMode({ name: "shares", user_ids: [person.uid], envs })).json).toEqual(success);
    expect([await read(person, "dev"), await read(person, "qa"), await projectsOf(person)]).toEqual([200, 403, 1]);
    expect([await listed(person), await listed(person, "/production")]).toEqual([["dev"], ["prod"]]);
    const detail = `/openapi/projects/project/detail?projectKey=${project}`;
    expect((await slipway.call("GET", detail, { token: person.token })).status).toBe(200);
    const removal = `/openapi/environments/dev?projectKey=${project}&isDelete=true`;
    expectError(await slipway.call("DELETE", removal, { token: person.token }), 403, "deleting");
    expect((await endMode("shares")).json).toEqual(success);
    expect([await read(person, "dev"), await listed(person), await projectsOf(person)]).toEqual([403, [], 0]);
    expect((await endMode("shares")).json).toEqual(success);
  });

  test("gives its verbs on the named workflows alone", async () => {
    for (const name of ["build", "release"]) {
      const body = { name, project };
      expect((await slipway.call("POST", "/openapi/workflows/custom", { body })).json).toEqual(success);
    }
    const { uid, token } = await storedPerson("shares workflows");
    const workflows = [share("build", ["get_workflow"]), share("release", ["get_workflow", "edit_workflow"])];
    const detail = (name: string) => `/openapi/workflows/custom/${name}/detail?projectKey=${project}`;
    const update = (name: string) =>
      slipway.call("PUT", `/openapi/workflows/custom/${name}`, { token, body: { name, project } });
    const list = async () => {
      const path = `/openapi/workflows?projectKey=${project}`;
      const { json } = await slipway.call<{ workflows?: { workflow_key: string }[] }>("GET", path, { token });
      return json.workflows?.map(({ workflow_key }) => workflow_key);
    };
    expect([(await slipway.call("GET", detail("build"), { token })).status, await list()]).toEqual([403, undefined]);
    expect((await createMode({ name: "flows", user_ids: [uid], workflows: workflows.slice(0, 1) })).json).toEqual(
      success,
    );
    expect(await list()).toEqual(["build"]);
    expect((await slipway.call("GET", detail("build"), { token })).status).toBe(200);
    expect((await slipway.call("GET", detail("release"), { token })).status).toBe(403);
    expectError(await update("build"), 403, "no verb");
    expect((await createMode({ name: "more flows", user_ids: [uid], workflows: workflows.slice(1) })).json).toEqual(
      success,
    );
    expect(await list()).toEqual(["build", "release"]);
    expect((await update("release")).json).toEqual(success);
    const removal = `/openapi/workflows/custom?projectKey=${project}&workflowKey=release`;
    expectError(await slipway.call("DELETE", removal, { token }), 403, "deleting");
    for (const name of ["flows", "more flows"]) await endMode(name);
    expect(await list()).toBeUndefined();
  });

  test("reaches the members of a group and everybody, and two modes give what both give", async () => {
    const [member, stranger] = [await storedPerson("of the crew"), await storedPerson("anybody")];
    await join(member);
    await createMode({ name: "crew", group_ids: [group], envs: [share("dev", reading)] });
    await createMode({ name: "all", user_ids: ["*"], envs: [share("qa", reading)] });
    expect([await listed(member), await listed(stranger)]).toEqual([["dev", "qa"], ["qa"]]);
    expect([await projectsOf(member), await projectsOf(stranger)]).toEqual([1, 1]);
    for (const name of ["crew", "all"]) await endMode(name);
    expect([await projectsOf(member), await projectsOf(stranger)]).toEqual([0, 0]);
  });

  test("ends for a user who leaves the installation's modes, and for nobody else", async () => {
    const [leaving, staying] = [await storedPerson("leaving"), await storedPerson("staying")];
    await createMode({ name: "pair", user_ids: [leaving.uid, staying.uid], envs: [share("dev", reading)] });
    await leaveAllModes(`user#${leaving.uid}`);
    expect([await read(leaving, "dev"), await read(staying, "dev")]).toEqual([403, 200]);
    expect(await projectsOf(leaving)).toBe(0);
    await endMode("pair");
  });

  test("goes with its project, and gives nothing in another of the same key", async () => {
    const person = await storedPerson("left over");
    const body = { project_name: "brief", project_key: "brief", project_type: "yaml" };
    await slipway.call("POST", "/openapi/projects/project", { body });
    expect((await createMode({ project_key: "brief", name: "gone", user_ids: [person.uid] })).json).toEqual(success);
    expect(await projectsOf(person)).toBe(1);
    await slipway.call("DELETE", "/openapi/projects/project?projectKey=brief&isDelete=true");
    await slipway.call("POST", "/openapi/projects/project", { body });
    expect(await projectsOf(person)).toBe(0);
  });
});

describe("a mode of copies", () => {
  test("makes one for each user, with services and variables of the original, and deletes them with itself", async () => {
    const person = await storedPerson("copier");
    const envs = [copyOf("dev", ["get_environment", "config_environment"])];
    expect((await createMode({ name: "Copies", user_ids: [person.uid], envs })).json).toEqual(success);
    const name = `copies-dev-system-${person.uid.slice(0, 13)}`;
    expect(await listed(person)).toEqual([name]);
    expect([await read(person, name), await read(person, "dev")]).toEqual([200, 403]);
    const path = `/openapi/environments/services/yaml?projectKey=${project}&envName=${name}&serviceName=settings`;
    await waitFor("the copy's service", async () => {
      return (await slipway.call("GET", path, { token: person.token })).text.includes("colour: blue");
    });
    await endMode("Copies");
    expect(await read(person, name)).toBe(403);
    await waitFor("the copy to be gone", async () => {
      return (await slipway.call("GET", `/openapi/environments/${name}?projectKey=${project}`)).status === 404;
    });
  });

  test("makes a group's members theirs when they first look, and takes those who leave theirs away", async () => {
    const person = await storedPerson("late");
    await createMode({ name: "late", group_ids: [group], envs: [copyOf("qa", reading)] });
    await join(person);
    const name = `late-qa-system-${person.uid.slice(0, 13)}`;
    expect(await listed(person)).toEqual([name]);
    expect(await listed(person)).toEqual([name]);
    await leaveAllModes(`user#${person.uid}`);
    await endMode("late");
    await slipway.runtime.reconcile();
    await waitFor("the copy to be gone", async () => {
      return (await slipway.call("GET", `/openapi/environments/${name}?projectKey=${project}`)).status === 404;
    });
  });
});

describe("a mode of copies of workflows", () => {
  const secret = { name: "token", is_credential: true, value: "a-secret-value" };
  const flow = { name: "flow", display_name: "The flow", project, params: [secret], "x-owner": { team: "shop" } };
  const keyOf = ({ uid }: Person, mode: string) => `${mode}-flow-system-${uid}`;
  const give = (name: string, verbs = ["get_workflow", "edit_workflow"], more: object = {}) =>
    createMode({ name, workflows: [copyOf("flow", verbs)], ...more });
  const detail = async (key: string, token?: string) => {
    const path = `/openapi/workflows/custom/${key}/detail?projectKey=${project}`;
    return slipway.call<Record<string, unknown>>("GET", path, token === undefined ? {} : { token });
  };
  const list = async ({ token }: Person) => {
    const path = `/openapi/workflows?projectKey=${project}`;
    const { json } = await slipway.call<{ workflows: { workflow_key: string }[] }>("GET", path, { token });
    return json.workflows.map(({ workflow_key }) => workflow_key);
  };
  const update = (key: string, body: object, token?: string) =>
    slipway.call("PUT", `/openapi/workflows/custom/${key}`, { body, ...(token !== undefined && { token }) });

  beforeAll(async () => {
    expect((await slipway.call("POST", "/openapi/workflows/custom", { body: flow })).json).toEqual(success);
  });

  test("makes one for each user, with credentials of its own, and deletes them with itself", async () => {
    const person = await storedPerson("flow copier");
    const key = keyOf(person, "own");
    expect((await give("own", undefined, { user_ids: [person.uid] })).json).toEqual(success);
    expect(await list(person)).toEqual([key]);
    const { json } = await detail(key, person.token);
    const display_name = `own-The flow-system-${person.uid.slice(0, 13)}`;
    expect(json).toMatchObject({ workflow_key: key, workflow_name: display_name, "x-owner": { team: "shop" } });
    expect(json.params).toMatchObject([{ name: "token", value: "********" }]);
    expect([(await detail("flow", person.token)).status, (await detail(key)).status]).toEqual([403, 200]);

    // A change of the original, and of the copy, is no change of the other one.
    expect((await update("flow", { ...flow, params: [{ ...secret, value: "another" }] })).json).toEqual(success);
    const mine = { ...flow, display_name, params: [{ ...secret, value: "********" }], mine: true };
    expect((await update(key, mine, person.token)).json).toEqual(success);
    const [copy, original] = [await findWorkflow(key), await findWorkflow("flow")];
    if (copy === undefined || original === undefined) throw new Error("a workflow is missing");
    const values = [(await openDefinition(copy)).params, (await openDefinition(original)).params];
    expect(values).toMatchObject([[{ value: "a-secret-value" }], [{ value: "another" }]]);
    expect([copy.source.mine, original.source.mine]).toEqual([true, undefined]);

    expect((await endMode("own")).json).toEqual(success);
    expect((await detail(key, person.token)).status).toBe(403);
    await reconcile();
    expect((await detail(key)).status).toBe(404);
    expect((await detail("flow")).status).toBe(200);
  });

  test("gives only its verbs, and a member of a group a copy at the first look", async () => {
    const person = await storedPerson("flow member");
    await give("crew", ["get_workflow"], { group_ids: [group] });
    await join(person);
    const key = keyOf(person, "crew");
    expect([await list(person), await list(person)]).toEqual([[key], [key]]);
    expectError(await update(key, { ...flow, display_name: "mine" }, person.token), 403, "no verb");
    await leaveAllModes(`user#${person.uid}`);
    await endMode("crew");
    await reconcile();
    expect((await detail(key)).status).toBe(404);
  });

  test("takes names that are free: a key is the whole installation's, a display name the project's", async () => {
    const person = await storedPerson("flow namesake");
    const display_name = `taken-The flow-system-${person.uid.slice(0, 13)}`;
    const body = { name: keyOf(person, "taken"), display_name: "elsewhere", project: "other" };
    expect((await slipway.call("POST", "/openapi/workflows/custom", { body })).json).toEqual(success);
    const named = { name: "named", display_name, project };
    expect((await slipway.call("POST", "/openapi/workflows/custom", { body: named })).json).toEqual(success);
    await give("taken", undefined, { user_ids: [person.uid] });
    const key = `${keyOf(person, "taken")}-2`;
    expect(await list(person)).toEqual([key]);
    expect((await detail(key)).json.workflow_name).toBe(`${display_name}-2`);
    await endMode("taken");
    await reconcile();
    expect((await detail(key)).status).toBe(404);
  });
});

describe("a mode whose copies go without visits", () => {
  const name = (person: Person) => `passing-dev-system-${person.uid.slice(0, 13)}`;

  /** As if everything of the project's modes had happened so many days earlier. */
  async function age(days: number): Promise<void> {
    const before = await findCollaborations(project);
    if (before === undefined) throw new Error("the project has no modes");
    const earlier = ({ name, triedAt, visitedAt = triedAt }: Copy): Copy => {
      return { name, triedAt: triedAt - days * 86_400, visitedAt: visitedAt - days * 86_400 };
    };
    const modes = before.modes.map((mode) => ({
      ...mode,
      copies: mapValues(mode.copies, (ofMember) => mapValues(ofMember, earlier)),
    }));
    await table().write(saveCollaborations(project, before, { modes, leaving: before.leaving }));
  }

  const mapValues = <V, W>(record: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

  const status = async (env: string) =>
    (await slipway.call("GET", `/openapi/environments/${env}?projectKey=${project}`)).status;

  async function sweep(): Promise<string | undefined> {
    await reconcile();
    return stateOf(config().SLIPWAY_SWEEP_SCHEDULE);
  }

  const stateOf = (name: string) => slipway.runtime.aws.schedules.get(name)?.definition.State;

  test("takes the copies of those who stay away, keeps those of visitors, and gives who comes back a new one", async () => {
    const [visitor, absent] = [await storedPerson("visitor"), await storedPerson("absent")];
    const envs = [copyOf("dev", reading)];
    const workflows = [copyOf("passing-flow", ["get_workflow"])];
    const flow = { name: "passing-flow", project };
    expect((await slipway.call("POST", "/openapi/workflows/custom", { body: flow })).json).toEqual(success);
    const flowStatus = async ({ uid }: Person) => {
      const key = `passing-passing-flow-system-${uid}`.replace(/^(.{20}).*?(-system-)/, "$1$2");
      return (await slipway.call("GET", `/openapi/workflows/custom/${key}/detail?projectKey=${project}`)).status;
    };
    const user_ids = [visitor.uid, absent.uid];
    expect((await createMode({ name: "passing", recycle_day: 7, user_ids, envs, workflows })).json).toEqual(success);
    await waitFor("the sweep to be on", async () => (await sweep()) === "ENABLED");

    await age(6);
    await reconcile();
    expect([await status(name(visitor)), await status(name(absent))]).toEqual([200, 200]);
    // An administrator's look is no visit of the member.
    expect(await read(visitor, name(visitor))).toBe(200);
    await age(2);
    await reconcile();
    await waitFor("the unvisited copy to be gone", async () => (await status(name(absent))) === 404);
    expect(await status(name(visitor))).toBe(200);
    expect([await flowStatus(visitor), await flowStatus(absent)]).toEqual([200, 404]);

    expect(await listed(absent)).toEqual([name(absent)]);
    expect(await status(name(absent))).toBe(200);
    await endMode("passing");
    await waitFor("the sweep to be off", async () => (await sweep()) === "DISABLED");
  });

  test("wakes what looks after them, also where it copies workflows alone", async () => {
    const resting = () => stateOf(config().SLIPWAY_RECONCILER_SCHEDULE);
    await waitFor("the reconciler to rest", async () => {
      await reconcile();
      return (await resting()) === "DISABLED";
    });
    const { uid } = await storedPerson("flow visitor");
    const workflows = [copyOf("passing-flow", ["get_workflow"])];
    expect((await createMode({ name: "flows pass", recycle_day: 7, user_ids: [uid], workflows })).json).toEqual(
      success,
    );
    expect(await resting()).toBe("ENABLED");
    await waitFor("the sweep to be on", async () => (await sweep()) === "ENABLED");
    await endMode("flows pass");
  });

  test("keeps every copy where no days are given", async () => {
    const person = await storedPerson("keeper");
    await createMode({ name: "passing", user_ids: [person.uid], envs: [copyOf("dev", reading)] });
    await age(4000);
    await reconcile();
    expect(await status(name(person))).toBe(200);
    await endMode("passing");
  });
});

describe("creating a mode", () => {
  test("names everything that is unknown or wrong at once", async () => {
    const wrong = await createMode({
      name: "wrong",
      user_ids: ["99999999-2222-4333-8444-555555555555"],
      group_ids: ["99999999-2222-4333-8444-555555555555"],
      envs: [share("nowhere", reading), copyOf("prod", ["get_production_environment"])],
    });
    expect(expectError(wrong, 400, "unknown").extra.problems?.map(({ path }) => path)).toEqual([
      "user_ids[0]",
      "group_ids[0]",
      "envs[0].name",
      "envs[1].collaboration_type",
    ]);
    const malformed = await createMode({
      name: "",
      recycle_day: -1,
      envs: [{ name: "dev", collaboration_type: "lend", verbs: ["delete_environment"] }, share("dev", [])],
    });
    const paths = expectError(malformed, 400, "malformed").extra.problems?.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "name",
        "recycle_day",
        "envs[0].collaboration_type",
        "envs[0].verbs[0]",
        "envs[1].verbs",
      ]),
    );
  });

  test("takes a name once, also of 10 requests at the same moment", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => createMode({ name: "once" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    expect(expectError(await createMode({ name: "once" }), 400, "again").description).toContain("already exists");
  });

  test("takes the project from the query where the body has none, as a public client sends it", async () => {
    const path = `/openapi/collaborations?projectKey=${project}`;
    expect((await slipway.call("POST", path, { body: { name: "by query" } })).json).toEqual(success);
    expect((await endMode("by%20query")).json).toEqual(success);
    expectError(await slipway.call("POST", "/openapi/collaborations", { body: { name: "nowhere" } }), 400, "none");
  });

  test("refuses unknown workflows and verbs, and an unknown project", async () => {
    const flows = (...workflows: object[]) => createMode({ name: "flows", workflows });
    const { description } = expectError(await flows(share("absent", ["run_workflow"])), 400, "unknown");
    expect(description).toContain("workflow absent not found");
    expectError(await flows(share("absent", ["delete_workflow"])), 400, "verb");
    expectError(await flows(copyOf("absent", ["run_workflow"])), 400, "a copy of nothing");
    expect((await createMode({ name: "no flows", workflows: [] })).json).toEqual(success);
    expectError(await createMode({ project_key: "nowhere", name: "x" }), 404, "an unknown project");
  });

  test("is for the project's administrator alone", async () => {
    const { token } = await storedPerson("foreign", { namespace: "other", roles: { "project-admin": [] } });
    expectError(await createMode({ name: "mine" }, token), 403, "creating");
    const path = `/openapi/collaborations/once?projectKey=${project}`;
    expectError(await slipway.call("DELETE", path, { token }), 403, "deleting");
  });
});
