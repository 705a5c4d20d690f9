import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectError } from "../../../security/expectError.ts";
import { buildBody, expectSuccess, workflowCalls } from "./workflowCalls.ts";

let slipway: Slipway;
const calls = workflowCalls(() => slipway);

beforeAll(async () => {
  slipway = await startSlipway();
  for (const key of ["demo", "other"]) await calls.project(key);
  await calls.project("looking", "loaded");
});

afterAll(() => slipway.close());

const yaml = `
name: release
display_name: Release the shop
project: demo
description: builds, asks, deploys
concurrency_limit: -1
params:
  - name: version
    type: string
    default: "1.0"
    vendor_hint: semver
stages:
  - name: check
    jobs:
      - name: pay
        type: vendor-check
        spec: {level: 3, nested: [{a: null}]}
  - name: ask
    parallel: true
    approval:
      enabled: true
      native_approval: {timeout: 5, needed_approvers: 1, approve_users: [{type: task_creator}]}
x-owner: {team: shop}
`;

const minimal = (name: string, also: object = {}) => ({ name, project: "demo", ...also });

describe("a workflow as YAML", () => {
  test("is stored, and returned with every field and type of job that nobody knows", async () => {
    expectSuccess(await calls.create(yaml, { headers: { "content-type": "application/yaml" } }));
    const { json } = await calls.detail("release");
    expect(json).toMatchObject({
      workflow_key: "release",
      workflow_name: "Release the shop",
      project_key: "demo",
      description: "builds, asks, deploys",
      created_by: "admin",
      updated_by: "admin",
      concurrency_limit: -1,
      notify_ctls: [],
      share_storages: [],
      params: [{ name: "version", type: "string", default: "1.0", vendor_hint: "semver" }],
      "x-owner": { team: "shop" },
    });
    const [check, ask] = json.stages as Record<string, unknown>[];
    expect(check).toMatchObject({ name: "check", parallel: false, approval: null });
    expect(check?.jobs).toMatchObject([{ type: "vendor-check", spec: { level: 3, nested: [{ a: null }] } }]);
    const empty = { description: "", value: "", repo: null, is_credential: false };
    expect(json.params).toEqual([{ name: "version", type: "string", default: "1.0", vendor_hint: "semver", ...empty }]);
    expect(check?.jobs).toMatchObject([{ skipped: false, run_policy: "", service_modules: [] }]);
    const both = { timeout: 5, Timeout: 5, needed_approvers: 1, NeededApprovers: 1 };
    expect(ask).toMatchObject({ parallel: true, approval: { enabled: true, native_approval: both }, jobs: [] });
  });

  test("is shown with every key that readers count on, and what was sent as it was sent", async () => {
    const module = { service_name: "web", service_module: "main" };
    const chosen = { ...module, build_name: "b", image_name: "own", repos: [{ repo_name: "web", codehost_id: 7 }] };
    const spec = { service_and_builds: [module, chosen], default_service_and_builds: null };
    const sent = { skipped: true, run_policy: "force_run", service_modules: [module] };
    const jobs = [
      { name: "a", type: "zadig-build", spec, service_modules: null },
      { name: "b", type: "x", ...sent },
    ];
    const params = [{ name: "p", description: null, value: 5, repo: { branch: "main" }, is_credential: null }];
    expectSuccess(await calls.create(minimal("whole", { params, stages: [{ name: "s", jobs }] })));
    const { json } = await calls.detail("whole");
    const empty = { description: "", type: "string", default: "", is_credential: false };
    expect(json.params).toEqual([{ name: "p", ...empty, value: 5, repo: { branch: "main" } }]);
    const [stage] = json.stages as { jobs: unknown[] }[];
    const build = { image: "", key_vals: [], share_storage_info: null };
    expect(stage?.jobs).toEqual([
      {
        ...{ name: "a", type: "zadig-build", skipped: false, run_policy: "", service_modules: [] },
        ...{ error_policy: null, execute_policy: null },
        spec: {
          docker_registry_id: "",
          service_and_builds: [
            { ...module, ...build, build_name: "", image_name: "main", repos: [] },
            { ...chosen, ...build },
          ],
          default_service_and_builds: [],
          service_and_builds_options: [],
        },
      },
      { name: "b", type: "x", spec: {}, ...sent, error_policy: null, execute_policy: null },
    ]);
  });

  test("that cannot be read is refused with the line", async () => {
    const { description } = expectError(await calls.create("name: a\nproject: [demo\n"), 400, "half a list");
    expect(description).toMatch(/is not JSON, nor YAML: line \d/);
    const bomb = `name: a\nproject: demo\nx: &x [1, 1]\ny: [${"*x, ".repeat(101)}]\n`;
    expect(expectError(await calls.create(bomb), 400, "aliases").description).toContain("aliases");
    expect(expectError(await calls.create("just a text"), 400, "a text").code).toBe(400);
  });
});

describe("creating a workflow", () => {
  test("works on both families of paths, with JSON too", async () => {
    expectSuccess(
      await slipway.call("POST", "/openapi/workflows/custom", { body: minimal("by-open", { stages: null }) }),
    );
    expect((await calls.detail("by-open")).json).toMatchObject({ workflow_name: "by-open", concurrency_limit: 1 });
  });

  test("refuses a key that is taken, naming where, and a display name of the project", async () => {
    await calls.create(minimal("taken", { display_name: "Taken" }));
    const elsewhere = expectError(await calls.create({ name: "taken", project: "other" }), 400, "key");
    expect(elsewhere).toMatchObject({
      code: 6540,
      description: "workflow taken already exists in project demo with the display name Taken",
    });
    const named = expectError(await calls.create(minimal("else", { display_name: "Taken" })), 400, "name");
    expect(named.code).toBe(6540);
    expectSuccess(await calls.create({ name: "else-where", display_name: "Taken", project: "other" }));
  });

  test.each([
    ["with a wrong character", minimal("a_b"), "name: must have letters"],
    ["that is too long", minimal("a".repeat(65)), "name: must have at most 64"],
  ])("refuses a key %s", async (_, body, problem) => {
    const error = expectError(await calls.create(body), 400, "key");
    expect(error).toMatchObject({ code: 6545, description: expect.stringContaining(problem) });
  });

  test("names every problem of the definition at once", async () => {
    const stages = [
      { name: "s", jobs: [{ name: "Big", type: "x" }] },
      {
        name: "s",
        jobs: [
          {
            name: "deploy",
            type: "zadig-deploy",
            spec: { source: "fromjob", job_name: "build", deploy_contents: ["x"] },
          },
          { name: "build", type: "zadig-build", spec: { service_and_builds: [{}] } },
          { name: "build", type: "x" },
        ],
      },
    ];
    const params = [{ name: "p" }, { name: "p" }];
    const error = expectError(await calls.create(minimal("wrong", { stages, params })), 400, "wrong");
    expect(error.code).toBe(6545);
    expect(error.extra.problems?.map(({ path }) => path)).toEqual([
      "params[1].name",
      "stages[1].name",
      "stages[0].jobs[0].name",
      "stages[1].jobs[0].spec.deploy_contents[0]",
      "stages[1].jobs[1].spec.service_and_builds[0].service_name",
      "stages[1].jobs[2].name",
      "stages[1].jobs[0].spec.job_name",
    ]);
    expect((await calls.detail("wrong")).status).toBe(404);
  });

  test("needs a project that is there and can have workflows", async () => {
    expect((await calls.create({ name: "lost", project: "nowhere" })).status).toBe(404);
    const error = expectError(await calls.create({ name: "lost", project: "looking" }), 400, "loaded");
    expect(error).toMatchObject({ code: 6545, description: "common workflow only support k8s and helm project" });
  });

  test("names the first 200 problems of a body that is wrong everywhere, and how many more there are", async () => {
    const params = Array.from({ length: 1000 }, () => ({}));
    const { description, extra } = expectError(
      await calls.create(minimal("wrong-everywhere", { params })),
      400,
      "many",
    );
    expect(extra.problems).toHaveLength(200);
    expect(description).toMatch(/; and 800 more problems$/);
  });

  test("of one key happens once, whoever is first", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => calls.create(minimal("raced", { display_name: `Raced ${at}` }))),
    );
    const codes = answers.map(({ status, json }) => (status === 200 ? 200 : json.code));
    expect(codes.sort()).toEqual([200, 6540, 6540, 6540, 6540, 6540]);
  });

  test("puts it into the view that the query names", async () => {
    const body = { project_key: "demo", name: "daily", workflow_list: [] };
    await slipway.call("POST", "/openapi/workflows/view", { body });
    expectSuccess(await calls.create(minimal("viewed"), {}, "?viewName=daily"));
    expect((await calls.list("&viewName=daily")).json.workflows).toMatchObject([{ workflow_key: "viewed" }]);
    expect((await calls.create(minimal("unseen"), {}, "?viewName=nightly")).status).toBe(404);
    expect((await calls.detail("unseen")).status).toBe(404);
  });
});

describe("updating a workflow", () => {
  test("replaces all of it but the key, who made it and when", async () => {
    await calls.create(minimal("changing", { params: [{ name: "p" }], x: 1 }));
    const before = (await calls.detail("changing")).json;
    expectSuccess(await calls.update("changing", minimal("another-key", { display_name: "Changed", y: 2 })));
    const after = (await calls.detail("changing")).json;
    expect(after).toMatchObject({ workflow_key: "changing", workflow_name: "Changed", params: [], y: 2 });
    expect(after.x).toBeUndefined();
    expect([after.created_by, after.create_time]).toEqual([before.created_by, before.create_time]);
    expect((await calls.detail("another-key")).status).toBe(404);
  });

  test.each([
    [{}, "is required"],
    [{ webhook_type: "carrier-pigeon" }, "must be one of feishu, "],
    [{ webhook_type: null }, "must be one of feishu, "],
    [{ webhook_type: "toString" }, "must be one of feishu, "],
  ])("refuses a notification job of no channel: %j", async (spec, words) => {
    const job = { name: "tell", type: "notification", spec: { title: "x", content: "y", ...spec } };
    const stages = [{ name: "s", jobs: [job] }];
    const refused = await calls.create({ name: "no-channel", display_name: "no-channel", project: "demo", stages });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.text).toContain(`stages[0].jobs[0].spec.webhook_type: ${words}`);
  });

  test.each([
    ["webhook", "webhook_notification_config", "address", "http://169.254.169.254/latest"],
    ["webhook", "webhook_notify", "address", "http://0.0.0.0:8080/"],
    ["feishu", "lark_hook_notification_config", "hook_address", "https://[fe80::1]/hook"],
    ["dingding", "dingding_notification_config", "hook_address", "https://100.100.100.200/robot"],
    ["wechat", "wechat_notification_config", "hook_address", "http://2852039166/"],
    ["msteams", "msteams_notification_config", "hook_address", "http://[::ffff:a9fe:a9fe]/"],
  ])("refuses a message by %s in %s to an address that is never reached", async (type, config, field, address) => {
    const ctl = { enabled: true, webhook_type: type, notify_type: ["passed"], [config]: { [field]: address } };
    const name = `reached-${config.replaceAll("_", "-")}`;
    const refused = await calls.create({ name, display_name: name, project: "demo", notify_ctls: [ctl] });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.text).toContain(`notify_ctls[0].${config}.${field}`);
    expect(refused.text).toContain("which is never reached");
    const job = { name: "tell", type: "notification", spec: { webhook_type: type, [config]: { [field]: address } } };
    const gate = { name: "gate", type: "approval", spec: {}, notify_ctls: [ctl] };
    const stages = [{ name: "one", jobs: [job, gate] }];
    const inJobs = await calls.lint({ name, display_name: name, project: "demo", stages });
    for (const place of ["jobs[0].spec", "jobs[1].notify_ctls[0]"])
      expect(inJobs.text).toContain(`stages[0].${place}.${config}.${field}`);
    // What an operator may allow is decided when it is sent.
    const allowed = { ...ctl, [config]: { [field]: "https://10.0.0.1/hook" } };
    expectSuccess(await calls.create({ name, display_name: name, project: "demo", notify_ctls: [allowed] }));
  });

  test("refuses a display name of another workflow, another project and an unknown key", async () => {
    await calls.create(minimal("first", { display_name: "First" }));
    await calls.create(minimal("second"));
    expect((await calls.update("second", minimal("second", { display_name: "First" }))).json).toMatchObject({
      code: 6540,
    });
    expect((await calls.update("second", { name: "second", project: "other" })).json).toMatchObject({ code: 6540 });
    expect((await calls.update("absent", minimal("absent"))).status).toBe(404);
  });
});

describe("a workflow", () => {
  test("is gone after its deletion, with its place in views, and its key can be used in any project", async () => {
    await calls.create(minimal("leaving", { display_name: "Leaving" }));
    const workflow_list = [{ workflow_key: "leaving", workflow_type: "custom", enabled: true }];
    await slipway.call("POST", "/openapi/workflows/view", {
      body: { project_key: "demo", name: "with-leaving", workflow_list },
    });
    expect((await calls.remove("leaving", {}, "other")).status).toBe(404);
    expectSuccess(await calls.remove("leaving"));
    expect((await calls.remove("leaving")).status).toBe(404);
    expect((await calls.detail("leaving")).status).toBe(404);
    const views = await slipway.call<{ name: string; workflows: unknown[] }[]>(
      "GET",
      "/openapi/workflows/view?projectKey=demo",
    );
    expect(views.json.find(({ name }) => name === "with-leaving")?.workflows).toEqual([]);
    expectSuccess(await calls.create({ name: "leaving", display_name: "Leaving", project: "other" }));
    expectSuccess(await slipway.call("DELETE", "/api/aslan/workflow/v4/leaving?projectName=other"));
  });

  test("is found in its own project only", async () => {
    await calls.create(minimal("at-home"));
    expect((await calls.detail("at-home", {}, "other")).status).toBe(404);
    expect((await calls.named("at-home", {}, "other")).status).toBe(404);
    expect((await calls.named("at-home")).json).toMatchObject({ name: "at-home", project: "demo" });
  });

  test("goes with its project", async () => {
    await calls.project("doomed");
    expectSuccess(await calls.create({ name: "of-doomed", project: "doomed" }));
    await slipway.call("POST", "/openapi/workflows/view", { body: { project_key: "doomed", name: "v" } });
    await slipway.call("DELETE", "/openapi/projects/project?projectKey=doomed&isDelete=true");
    await calls.project("doomed");
    expect((await calls.list("", {}, "doomed")).json).toEqual({ workflows: [] });
    expect((await slipway.call("GET", "/openapi/workflows/view?projectKey=doomed")).json).toEqual([]);
    expectSuccess(await calls.create({ name: "of-doomed", project: "other" }));
  });

  test("is linted without being stored", async () => {
    expectSuccess(await calls.lint(minimal("only-linted")));
    expect((await calls.lint(minimal("a_b"))).json).toMatchObject({ code: 6545 });
    expect((await calls.detail("only-linted")).status).toBe(404);
  });

  test("is preset with what does not run by itself skipped", async () => {
    const job = (name: string, run_policy: string) => ({ name, type: "x", run_policy });
    await calls.create(
      minimal("to-start", { stages: [{ name: "s", jobs: [job("a", ""), job("b", "default_not_run")] }] }),
    );
    const { json } = await calls.preset("to-start");
    expect(json.stages).toMatchObject([{ jobs: [{ name: "a" }, { name: "b", skipped: true }] }]);
  });

  test("shows build jobs every build of a module, what is stored first", async () => {
    const services = ["main", "side"].map((service_module) => ({ service_name: "web", service_module }));
    await slipway.call("POST", "/openapi/build", { body: buildBody("web-build", services) });
    const stored = {
      service_name: "web",
      service_module: "side",
      build_name: "b",
      key_vals: [{ key: "K", value: "v" }],
    };
    const spec = { service_and_builds_options: [stored] };
    const stages = [{ name: "s", jobs: [{ name: "b", type: "zadig-build", spec }] }];
    expectSuccess(await calls.create(minimal("building", { stages })));
    const [stage] = (await calls.detail("building")).json.stages as { jobs: { spec: object }[] }[];
    expect(stage?.jobs[0]?.spec).toMatchObject({
      service_and_builds: [],
      default_service_and_builds: [],
      service_and_builds_options: [
        stored,
        ...services.map((module) => ({ ...module, build_name: "web-build", key_vals: [], repos: [] })),
      ],
    });
  });
});

describe("the list of workflows", () => {
  test("is sorted by key, empty for a project that has none, and 404 for an unknown project", async () => {
    const { json } = await calls.list("", {}, "other");
    expect(json.workflows[0]).toEqual({
      workflow_key: "else-where",
      workflow_name: "Taken",
      update_by: "admin",
      update_time: expect.any(Number),
      type: "custom",
    });
    const keys = (await calls.list()).json.workflows.map(({ workflow_key }) => workflow_key);
    expect(keys).toEqual([...keys].sort());
    expect((await calls.list("", {}, "looking")).json).toEqual({ workflows: [] });
    expect((await calls.list("", {}, "nowhere")).status).toBe(404);
    expect((await calls.list("&viewName=unknown")).json.workflows).toHaveLength(keys.length);
  });

  test("shows a member without the verb nothing", async () => {
    const member = await newPerson("member", [{ namespace: "demo", roles: { m: [] } }]);
    expect((await calls.list("", { token: member.token })).json).toEqual({ workflows: [] });
    expect((await calls.detail("release", { token: member.token })).status).toBe(403);
  });
});

describe("what reaches clusters needs the verbs of environments (decisions 5.7)", () => {
  const of = (type: string, spec: object) => [{ name: "s", jobs: [{ name: "j", type, spec }] }];
  const cases: [string, string, object, string[]][] = [
    ["a deploy to production", "zadig-deploy", { env: "p", production: true }, ["config_production_environment"]],
    ["any job of production", "vendor", { production: true }, ["config_production_environment"]],
    ["custom-deploy", "custom-deploy", { namespace: "n" }, ["config_environment", "config_production_environment"]],
    ["a patch", "k8s-resource-patch", { namespace: "n" }, ["config_environment", "config_production_environment"]],
  ];

  test.each(cases)("%s", async (name, type, spec, verbs) => {
    const key = `target-${cases.findIndex(([other]) => other === name)}`;
    const body = minimal(key, { stages: of(type, spec) });
    const without = await newPerson(`${key}-no`, [{ namespace: "demo", roles: { r: ["create_workflow"] } }]);
    const refused = expectError(await calls.create(body, { token: without.token }), 403, name);
    expect(refused.description).toContain(verbs[0]);
    const held = ["create_workflow", ...verbs];
    const allowed = await newPerson(`${key}-yes`, [{ namespace: "demo", roles: { r2: held } }]);
    expectSuccess(await calls.create(body, { token: allowed.token }));
  });
});
