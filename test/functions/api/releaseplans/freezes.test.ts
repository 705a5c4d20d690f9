import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../../shared/base/store/ids.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { remove } from "../../../../shared/base/store/writes.ts";
import { freezesAhead } from "../../../../shared/projects/freezes/requireNoFreeze.ts";
import { addFreeze } from "../../../../shared/projects/freezes/store/freezes.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { declarations } from "../../../security/declarations.ts";
import { pathOf } from "../../../security/requests.ts";

const path = "/openapi/release_plan/v1/freezes";
const hour = 3600;
const now = Math.floor(Date.now() / 1000);
/** The one that is there from the first start. */
const registry = "0123456789abcdef12345679";
let slipway: Slipway;

interface Shown {
  id: string;
  name: string;
  holds: boolean;
  holds_until?: number;
  next?: { start_time: number; end_time: number };
}

const list = async () => (await slipway.call<Shown[]>("GET", path)).json;
const named = async (name: string) => (await list()).filter((one) => one.name === name);
const make = (body: unknown, token?: string) =>
  slipway.call<{ id: string; description: string }>("POST", path, { body, ...(token !== undefined && { token }) });
const idOf = async (body: unknown) => {
  const made = await make(body);
  expect(made.status, made.text).toBe(200);
  return made.json.id;
};
const drop = async (id: string) => expect((await slipway.call("DELETE", `${path}/${id}`)).status).toBe(200);
const later = { name: "Later", reason: "year end", start_time: now + hour, end_time: now + 2 * hour };
const nightly = { name: "Nightly", reason: "night", cron: "0 22 * * *", time_zone: "UTC", duration_minutes: 60 };

beforeAll(async () => {
  slipway = await startSlipway();
  for (const project_key of ["shop", "other"]) {
    const body = { project_key, project_name: project_key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
  const places = { project_key: "shop", cluster_id: "0123456789abcdef12345678" };
  for (const [kind, env_name] of [
    ["", "dev"],
    ["/production", "live"],
  ]) {
    const body = { ...places, env_name, env_key: env_name, namespace: `shop-${env_name}` };
    const made = await slipway.call("POST", `/openapi/environments${kind}?projectKey=shop`, { body });
    expect(made.status, made.text).toBe(200);
  }
});

afterAll(() => slipway.close());

describe("freezes", () => {
  test("are made, listed with what they do now and next, replaced and deleted", async () => {
    const id = await idOf({
      ...later,
      projects: ["shop", "shop"],
      environments: [{ project_key: "shop", env_name: "live" }],
    });
    const other = await idOf({ ...later, name: "Now", start_time: now - 60, end_time: now + hour });
    expect(await named("Later")).toEqual([
      {
        ...{ id, ...later, projects: ["shop"], environments: [{ project_key: "shop", env_name: "live" }] },
        ...{ holds: false, next: { start_time: later.start_time, end_time: later.end_time } },
        ...{ created_by: "admin", create_time: expect.any(Number) },
        ...{ updated_by: "admin", update_time: expect.any(Number) },
      },
    ]);
    expect(await named("Now")).toMatchObject([{ id: other, holds: true, holds_until: now + hour }]);
    const changed = await slipway.call("PUT", `${path}/${id}`, { body: nightly });
    expect(changed.json).toEqual({ message: "success" });
    const [shown] = await named("Nightly");
    expect(shown).toMatchObject({ id, cron: "0 22 * * *", projects: [], environments: [] });
    expect(shown).not.toHaveProperty("start_time");
    expect((shown?.next?.end_time ?? 0) - (shown?.next?.start_time ?? 0)).toBe(hour);
    for (let times = 0; times < 2; times++) await drop(id);
    await drop(other);
    expect(await list()).toEqual([]);
    const gone = await slipway.call("PUT", `${path}/${id}`, { body: nightly });
    expect(gone.json).toMatchObject({ code: 404, description: `freeze ${id} does not exist` });
  });

  test.each<[string, object, string, string]>([
    ["no name", { ...later, name: "" }, "name", "empty"],
    ["a name of 10 KB", { ...later, name: "n".repeat(10_240) }, "name", "at most 256 characters"],
    ["no reason", { ...later, reason: undefined }, "reason", "is required"],
    ["a reason of 10 KB", { ...later, reason: "r".repeat(10_240) }, "reason", "at most 1024 characters"],
    ["a time as text", { ...later, start_time: "2026-12-24" }, "start_time", "Unix seconds"],
    ["a negative time", { ...later, start_time: -1 }, "start_time", "0 or more"],
    ["milliseconds", { ...later, end_time: Date.now() * 1000 }, "end_time", "not milliseconds"],
    ["an end before its start", { ...later, end_time: now }, "end_time", "after start_time"],
    ["both times and cron", { ...later, ...nightly }, "start_time", "left out with cron"],
    ["neither times nor cron", { name: "n", reason: "r" }, "start_time", "or cron"],
    ["a cron that never fires", { ...nightly, cron: "0 0 31 2 *" }, "cron", "never comes"],
    ["a cron of six fields", { ...nightly, cron: "0 0 22 * * *" }, "cron", "five fields"],
    ["an unknown time zone", { ...nightly, time_zone: "Mars/Base" }, "time_zone", "IANA"],
    ["no minute", { ...nightly, duration_minutes: 0 }, "duration_minutes", "1 to"],
    ["more than a period", { ...nightly, duration_minutes: 1441 }, "duration_minutes", "at most 1440"],
    ["an unknown project", { ...later, projects: ["shop", "nowhere"] }, "projects[1]", "nowhere does not exist"],
    ["51 projects", { ...later, projects: Array(51).fill("shop") }, "projects", "at most 50"],
    [
      "an environment of an unknown project",
      { ...later, environments: [{ project_key: "nowhere", env_name: "live" }] },
      "environments[0].project_key",
      "nowhere does not exist",
    ],
    [
      "an unknown environment",
      { ...later, environments: [{ project_key: "shop", env_name: "absent" }] },
      "environments[0].env_name",
      "absent does not exist",
    ],
    [
      "a test environment",
      { ...later, environments: [{ project_key: "shop", env_name: "dev" }] },
      "environments[0].env_name",
      "dev is a test environment",
    ],
  ])("with %s are refused", async (_, body, field, problem) => {
    const answer = await make(body);
    expect(answer.json, answer.text).toMatchObject({
      code: 400,
      extra: { problems: expect.arrayContaining([expect.objectContaining({ path: field })]) },
    });
    expect(answer.json.description).toContain(problem);
    expect(await list()).toEqual([]);
  });

  test("are all kept when 50 are made at once, and 50 changed", async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, (_, at) => idOf({ ...later, name: `raced ${at}` })));
    const names = (await list()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(ids.map((_, at) => `raced ${at}`).toSorted());
    const puts = ids.map((id, at) => slipway.call("PUT", `${path}/${id}`, { body: { ...later, name: `put ${at}` } }));
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(new Set((await list()).map(({ name }) => name))).toEqual(new Set(ids.map((_, at) => `put ${at}`)));
    const [first] = ids;
    const both = await Promise.all([
      ...Array.from({ length: 5 }, () => slipway.call("DELETE", `${path}/${first}`)),
      make({ ...later, name: "beside" }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(both.map(() => 200));
    expect((await list()).map(({ id }) => id)).not.toContain(first);
    expect(await list()).toHaveLength(50);
    await forgetAll();
  });

  test("are 200 at most, of at most 300,000 bytes", async () => {
    await fill(200, "short");
    const tooMany = await make(later);
    expect(tooMany.json).toMatchObject({ code: 400, description: expect.stringContaining("there are 200 freezes") });
    const [first] = await list();
    await drop(first?.id ?? "");
    await drop(await idOf(later));
    await forgetAll();
    await fill(100, "long".repeat(1000));
    const full = { code: 400, description: expect.stringContaining("300000 bytes") };
    const body = { ...later, name: "€".repeat(256), reason: "€".repeat(1024) };
    expect((await make(body)).json).toMatchObject(full);
    await forgetAll();
  });
});

/** Written straight to the store, as many as fit. */
async function fill(count: number, reason: string): Promise<void> {
  const by = { createdBy: "ada", updatedBy: "ada", createdAt: now, updatedAt: now };
  const times = { startTime: 1, endTime: 2 };
  for (let at = 0; at < count; at++)
    await addFreeze({ freezeId: newId(), name: "filled", reason, projects: [], environments: [], times, ...by });
}

async function forgetAll(): Promise<void> {
  await table().write(remove(keys.freezes()));
}

describe("who may freeze", () => {
  let manager: Person;
  let owner: Person;
  let member: Person;

  beforeAll(async () => {
    manager = await newPerson("manager", [{ namespace: "*", roles: { releases: ["edit_config_release_plan"] } }]);
    owner = await newPerson("owner", [{ namespace: "shop", roles: { "project-admin": [] } }]);
    member = await newPerson("member", [{ namespace: "shop", roles: { "read-only": [] } }]);
  });

  test("everybody who is signed in reads, and members make none", async () => {
    expect((await slipway.call("GET", path, { token: member.token })).status).toBe(200);
    expect((await make({ ...later, projects: ["shop"] }, member.token)).json).toMatchObject({ code: 403 });
  });

  test("a release manager freezes everything", async () => {
    const made = await make(later, manager.token);
    expect(made.status, made.text).toBe(200);
    expect((await slipway.call("DELETE", `${path}/${made.json.id}`, { token: owner.token })).status).toBe(403);
    expect(
      (
        await slipway.call("PUT", `${path}/${made.json.id}`, {
          token: owner.token,
          body: { ...later, projects: ["shop"] },
        })
      ).status,
    ).toBe(403);
    expect((await slipway.call("DELETE", `${path}/${made.json.id}`, { token: manager.token })).status).toBe(200);
  });

  test("a project's administrator freezes what is the own project's alone", async () => {
    const refused = await Promise.all([
      make(later, owner.token),
      make({ ...later, projects: ["shop", "other"] }, owner.token),
      make({ ...later, environments: [{ project_key: "other", env_name: "live" }] }, owner.token),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(refused[1]?.json.description).toContain("administrator of project other");
    const made = await make({ ...later, projects: ["shop"] }, owner.token);
    expect(made.status, made.text).toBe(200);
    const widened = await slipway.call("PUT", `${path}/${made.json.id}`, { token: owner.token, body: later });
    expect(widened.status).toBe(403);
    expect((await slipway.call("DELETE", `${path}/${made.json.id}`, { token: owner.token })).status).toBe(200);
  });
});

describe("while a freeze holds for a production environment", () => {
  const place = { projectKey: "shop", environment: "live" };
  let frozen: string;
  let owner: Person;
  let deployer: Person;
  let passer: Person;
  let version: string;

  beforeAll(async () => {
    const verbs = ["config_production_environment", "edit_production_environment"];
    owner = await newPerson("boss", [{ namespace: "shop", roles: { "project-admin": [] } }]);
    deployer = await newPerson("deployer", [{ namespace: "shop", roles: { deploys: verbs } }]);
    passer = await newPerson("passer", [{ namespace: "shop", roles: { passes: [...verbs, "override_freeze"] } }]);
    const environments = [{ project_key: "shop", env_name: "live" }];
    frozen = await idOf({ ...later, name: "Year end", start_time: now - 60, environments });
    const releases = "/openapi/delivery/releases";
    const image = {
      container_name: "main",
      image_name: "web",
      push_image: false,
      source_image: "nginx:1",
      target_image_tag: "1",
    };
    const services = [{ service_name: "web", yaml_content: "", images: [{ ...image, target_image: "nginx:1" }] }];
    const body = { project_key: "shop", version_name: "R1", source: "manual", image_registry_id: registry, services };
    const made = await slipway.call("POST", `${releases}/k8s`, { body });
    expect(made.status, made.text).toBe(200);
    const listed = await slipway.call<{ list: { id: string }[] }>("GET", `${releases}?projectKey=shop`);
    version = listed.json.list[0]?.id ?? "";
  });

  afterAll(() => drop(frozen));

  const meeting = declarations.filter(({ route }) => typeof route.freeze === "function");
  // What ends a deployment is allowed: it changes back what began before the freeze.
  const exempt = ["/cancel", "/restart", "/scale", "/test", "/sleep", "/wake", "/sleep/schedule"];

  test("every change of production meets it but scale, restarts, tests, sleep and what ends a deployment", () => {
    const verbs = /production/;
    const changes = declarations.filter(
      ({ group, route }) =>
        group === "environments" &&
        route.method !== "GET" &&
        route.permission.kind === "verb" &&
        verbs.test([...route.permission.verbs, ...(route.permission.productionVerbs ?? [])].join()),
    );
    const without = changes.filter(({ route }) => route.freeze === undefined).map(({ name }) => name);
    expect(without.length).toBeGreaterThan(4);
    expect(without.filter((name) => !exempt.some((end) => name.endsWith(end)))).toEqual([]);
    expect(meeting.length).toBeGreaterThan(14);
  });

  /** The places of the scope, and a body that lacks nothing. */
  async function send(name: string, query: Record<string, string>, token: string | null) {
    const declaration = declarations.find((one) => one.name === name);
    if (declaration === undefined) throw new Error(name);
    const { route } = declaration;
    const params = {
      envName: place.environment,
      serviceName: "web",
      envCfgName: "settings",
      revision: "1",
      id: version,
    };
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n";
    const body = {
      ...{ project_key: place.projectKey, env_key: place.environment, env_name: place.environment, yaml_data: yaml },
      ...{ service_list: [{ service_name: "web" }], service_names: ["web"], global_variables: [], name: "settings" },
      ...{ common_env_cfg_type: "ConfigMap", product_name: "shop", service_name: "web", container_name: "main" },
      ...{ image: "nginx:1", cluster_id: "0123456789abcdef12345678", namespace: "shop-live", production: true },
      ...(name.includes("/defaultValues") && { default_values: "" }),
      ...(name.includes("environments/helm") && { registry_id: registry, services: [{ service_name: "web" }] }),
    };
    const path = pathOf(route.path, params, { projectKey: place.projectKey, type: "ConfigMap", ...query });
    return slipway.call<{ code: number; description: string }>(route.method, path, {
      ...(token !== null && { token }),
      // The one body that is a list.
      ...(route.body !== undefined && { body: name.includes("/share/portal") ? [] : body }),
    });
  }

  test.each(meeting)("$name is refused with its name, its reason and its end", async ({ name }) => {
    const answer = await send(name, {}, null);
    expect(answer.json, answer.text).toMatchObject({
      ...{ type: "error", code: 409, message: "Conflict" },
      description: expect.stringContaining('by "Year end": year end'),
      extra: { freeze: { id: frozen, name: "Year end", reason: "year end", end_time: later.end_time } },
    });
  });

  test("it lies ahead for whoever plans to change that environment", async () => {
    const range = { from: now, to: now + 3 * hour, most: 10 };
    const ahead = await freezesAhead([{ projectKey: "shop", envKey: "live" }], range);
    expect(ahead).toEqual([
      { freeze: expect.objectContaining({ freezeId: frozen }), start: now - 60, end: later.end_time },
    ]);
    expect(await freezesAhead([{ projectKey: "shop", envKey: "edge" }], range)).toEqual([]);
  });

  const remove = "DELETE /openapi/environments/production/{envName}";
  const update = "PUT /openapi/environments/production/{envName}";

  test("a preview is answered, and says so", async () => {
    const { status, json } = await send(update, { dryRun: "true" }, null);
    expect([status, json]).toEqual([
      200,
      { dry_run: true, objects: [], frozen: expect.objectContaining({ id: frozen, end_time: later.end_time }) },
    ]);
  });

  test("whoever may passes it with a reason, which stands in the operation log", async () => {
    expect((await send(update, {}, passer.token)).status).toBe(409);
    const passed = await send(update, { override_reason: "a hole in the fence" }, passer.token);
    expect(passed.status, passed.text).toBe(200);
    const { operation_logs } = (
      await slipway.call<{ operation_logs: { username: string; request_body: string }[] }>(
        "GET",
        "/openapi/system/operation?searchType=all&perPage=1&page=1",
      )
    ).json;
    expect(operation_logs[0]?.username).toBe("passer");
    expect(JSON.parse(operation_logs[0]?.request_body ?? "")).toMatchObject({
      override_reason: "a hole in the fence",
      request: { env_key: "live" },
    });
    expect((await send(update, { override_reason: "mine" }, owner.token)).status).toBe(200);
  });

  test("others are refused, reason or not", async () => {
    const refused = await send(update, { override_reason: "I want to" }, deployer.token);
    expect(refused.json).toMatchObject({ code: 403, description: expect.stringContaining("override_freeze") });
  });

  test.each([
    ["an empty reason", ""],
    ["one of 501 characters", "r".repeat(501)],
  ])("%s is wrong", async (_, override_reason) => {
    const answer = await send(update, { override_reason }, passer.token);
    expect(answer.json).toMatchObject({ code: 400, description: expect.stringContaining("query override_reason") });
  });

  test("test environments, other production and other projects change as ever", async () => {
    const image = "/openapi/environments/image/deployment/dev";
    const body = { project_key: "shop", service_name: "web", name: "web", container_name: "main", image: "nginx:1" };
    expect((await slipway.call("POST", image, { body })).status).not.toBe(409);
    const aside = await slipway.call("DELETE", "/openapi/environments/production/absent?projectKey=shop");
    expect(aside.status).toBe(404);
  });

  test("its project is not deleted, and others are", async () => {
    const projects = "/openapi/projects/project";
    const answer = await slipway.call("DELETE", `${projects}?projectKey=shop&isDelete=false`);
    expect(answer.json).toMatchObject({ code: 409, extra: { freeze: { name: "Year end" } } });
    expect((await slipway.call("DELETE", `${projects}?projectKey=other&isDelete=false`)).status).toBe(200);
  });

  test("and it changes again when the freeze is gone", async () => {
    await drop(frozen);
    expect((await send(remove, {}, null)).status).toBe(200);
  });
});
