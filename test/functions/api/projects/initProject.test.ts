import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import { findEnvironment } from "../../../../shared/environments/store/environments.ts";
import { untilStatus } from "../../../harness/boutique.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const path = "/openapi/projects/project/init/yaml";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const deployment = (name: string, image = "nginx:1.27") =>
  `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: ${name}, image: "${image}" }] }
`;
const service = (name: string, rest: object = {}) => ({
  service_name: name,
  source: "yaml",
  yaml: deployment(name),
  ...rest,
});
const bodyOf = (key: string, rest: object = {}) => ({
  project_name: `name of ${key}`,
  project_key: key,
  project_type: "yaml",
  is_public: false,
  service_list: [service("web"), service("api")],
  env_list: [],
  ...rest,
});
const init = (key: string, rest: object = {}) => slipway.call("POST", path, { body: bodyOf(key, rest) });
const detail = (key: string) => slipway.call("GET", `/openapi/projects/project/detail?projectKey=${key}`);
const services = async (key: string) => {
  const { json } = await slipway.call<{ service: { service_name: string }[] }>(
    "GET",
    `/openapi/service/yaml/services?projectKey=${key}`,
  );
  return json.service?.map((one) => one.service_name);
};
const environment = (key: string, rest: object = {}) => ({ env_key: key, cluster_name: "local", ...rest });

describe("initializing a project", () => {
  test("creates project, services and environments in one call", async () => {
    const answer = await init("whole", {
      env_list: [environment("dev"), { env_key: "qa", cluster: "local", namespace: "whole-quality" }],
      service_list: [
        service("web"),
        service("api", {
          yaml: deployment("api", "nginx:{{.tag}}"),
          variable_yaml: [
            { key: "tag", value: "v2" },
            { key: "stranger", value: "ignored" },
          ],
        }),
      ],
    });
    expect(answer.json).toEqual({ message: "success" });
    expect(await services("whole")).toEqual(["api", "web"]);
    const api = await slipway.call("GET", "/openapi/service/yaml/api?projectKey=whole");
    expect(api.json).toMatchObject({
      source: "spock",
      containers: [{ image: "nginx:v2" }],
      service_variable_kvs: [{ key: "tag", value: "v2" }],
    });
    const dev = await untilStatus(slipway, "whole", "dev", "running");
    expect(dev.namespace).toBe("whole-env-dev");
    expect(dev.services.map((one) => one.service_name)).toEqual(["api", "web"]);
    expect((await untilStatus(slipway, "whole", "qa", "running")).namespace).toBe("whole-quality");
    expect((await init("whole")).json).toMatchObject({ code: 6060 });
  });

  test("makes more services than one transaction holds", async () => {
    const many = Array.from({ length: 70 }, (_, at) => service(`service-${at}`));
    expect((await init("many", { service_list: many })).json).toEqual({ message: "success" });
    expect(await services("many")).toHaveLength(70);
  });

  test("of 50 identical ones at once has one winner and 49 answers of the duplicate", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => init("raced")));
    const codes = answers.map((answer) => (answer.json as { code?: number }).code ?? answer.status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 6060)).toHaveLength(49);
    expect(await services("raced")).toEqual(["api", "web"]);
  });

  test.each([
    ["no services", { service_list: [] }, 400],
    ["services that are no list", { service_list: {} }, 400],
    ["no list of environments", { env_list: undefined }, 400],
    ["another type", { project_type: "helm" }, 400],
    ["a key with capitals", { project_key: "Upper" }, 400],
    ["a service twice", { service_list: [service("a"), service("a")] }, 400],
    ["a reserved service name", { service_list: [service("raw")] }, 400],
    ["an unknown source", { service_list: [service("a", { source: "spock" })] }, 400],
    ["a service without YAML", { service_list: [service("a", { yaml: undefined })] }, 400],
    ["a template without a name", { service_list: [service("a", { source: "template" })] }, 400],
    ["an unknown template", { service_list: [service("a", { source: "template", template_name: "t" })] }, 6045],
    [
      "a template for a name in capitals",
      { service_list: [service("A", { source: "template", template_name: "t" })] },
      400,
    ],
    ["YAML with a tab", { service_list: [service("web"), service("a", { yaml: "a:\n\tb: c" })] }, 6045],
    ["a template that does not close", { service_list: [service("a", { yaml: "a: {{.b" })] }, 6045],
    ["an environment twice", { env_list: [environment("a"), environment("a", { namespace: "b" })] }, 400],
    ["a namespace twice", { env_list: ["a", "b"].map((key) => environment(key, { namespace: "n" })) }, 400],
    ["a reserved environment name", { env_list: [environment("production")] }, 400],
    ["a wrong namespace", { env_list: [environment("a", { namespace: "A" })] }, 400],
    ["a namespace of the system", { env_list: [environment("a", { namespace: "kube-system" })] }, 400],
    [
      "a default namespace that is too long",
      { project_key: "x".repeat(50), env_list: [environment("a".repeat(20))] },
      400,
    ],
    ["an environment without a cluster", { env_list: [{ env_key: "a" }] }, 400],
    ["an unknown cluster", { env_list: [environment("a", { cluster_name: "nowhere" })] }, 6074],
  ])("refuses %s before anything is written", async (_, rest, code) => {
    const key = (rest as { project_key?: string }).project_key ?? "refused";
    const answer = await init(key, rest);
    expect(answer.json).toMatchObject({ type: "error", code });
    if (/^[a-z-]+$/.test(key)) expect((await detail(key)).status).toBe(404);
  });

  test("names every service that does not fit", async () => {
    const answer = await init("refused", {
      service_list: [service("one", { yaml: "a: [" }), service("two", { yaml: "- x" })],
    });
    expect(answer.json).toMatchObject({
      code: 6045,
      description: expect.stringMatching(/service one: .*service two: /s),
    });
  });

  test("renders strictly before anything is written when environments are wanted", async () => {
    const list = [
      service("a", { yaml: deployment("a", "nginx:{{.cfg.tag}}"), variable_yaml: [{ key: "cfg", value: "x: 1" }] }),
    ];
    const answer = await init("refused", { service_list: list, env_list: [environment("dev")] });
    expect(answer.json).toMatchObject({ code: 6045, description: expect.stringContaining("cfg.tag") });
    expect((await detail("refused")).status).toBe(404);
  });

  test("needs the system administrator and is recorded under the project's key", async () => {
    const { token } = await newPerson("somebody");
    expect((await slipway.call("POST", path, { token, body: bodyOf("theirs") })).status).toBe(403);
    const logs = await slipway.call("GET", "/openapi/system/operation?searchType=project&projectKey=theirs");
    expect(logs.json).toMatchObject({
      operation_logs: [
        { method: "Initialize", function: "Project Management - K8S Project", detail: "name of theirs", status: 403 },
      ],
    });
  });
});

describe("an initialization that stopped", () => {
  test("keeps what was made, and the same request goes on when the obstacle is gone", async () => {
    const taken = { env_list: [environment("first", { namespace: "contested" })] };
    expect((await init("owner", taken)).status).toBe(200);
    await untilStatus(slipway, "owner", "first", "running");

    const wanted = { env_list: [environment("free"), environment("blocked", { namespace: "contested" })] };
    const stopped = await init("later", wanted);
    expect(stopped.json).toMatchObject({
      code: 6074,
      description: expect.stringContaining("send the same request again"),
    });
    expect(await services("later")).toEqual(["api", "web"]);
    await untilStatus(slipway, "later", "free", "running");
    expect((await init("later", { ...wanted, description: "another" })).json).toMatchObject({ code: 6060 });
    expect((await init("later", wanted)).json).toMatchObject({ code: 6074 });

    await slipway.call("DELETE", "/openapi/environments/first?projectKey=owner&isDelete=true");
    await waitFor("the owner to leave", async () => {
      return (await slipway.call("GET", "/openapi/environments/first?projectKey=owner")).status === 404;
    });
    await waitFor("the namespace to be free", async () => (await init("later", wanted)).status === 200);
    await untilStatus(slipway, "later", "blocked", "running");
    expect((await init("later", wanted)).json).toMatchObject({ code: 6060 });
  });

  test("by a crash goes on when the time of its request is over, and not before", async () => {
    const wanted = { env_list: [environment("blocked", { cluster_name: "local", namespace: "later-env-free" })] };
    const stopped = await init("crashed", wanted);
    expect(stopped.json).toMatchObject({ code: 6074 });
    const until = (seconds: number) =>
      table().write(
        update(keys.project("crashed"), { set: { initializationUntil: nowSeconds() + seconds } }, mustExist),
      );
    await until(60);
    expect((await init("crashed", wanted)).json).toMatchObject({
      code: 6060,
      description: expect.stringContaining("being initialized"),
    });
    await slipway.call("DELETE", "/openapi/service/yaml/web?projectKey=crashed");
    await until(-1);
    expect((await init("crashed", wanted)).json).toMatchObject({ code: 6074 });
    expect(await services("crashed")).toEqual(["api", "web"]);
  });

  test("waits for an environment that a crash left unfinished instead of counting it as made", async () => {
    const wanted = {
      env_list: [
        environment("dev", { namespace: "contested-again" }),
        environment("dev2", { namespace: "later-env-free" }),
      ],
    };
    expect((await init("half", wanted)).json).toMatchObject({ code: 6074 });
    const { changeId } = (await findEnvironment("half", "dev"))!;
    const setStatus = (status: string) => table().write(update(keys.change(changeId), { set: { status } }, mustExist));
    await untilStatus(slipway, "half", "dev", "running");
    await setStatus("checking");
    expect((await init("half", wanted)).json).toMatchObject({
      code: 6074,
      description: expect.stringContaining("dev is still being checked"),
    });
    await setStatus("done");
    expect((await init("half", wanted)).json).toMatchObject({
      code: 6074,
      description: expect.not.stringContaining("being checked"),
    });
  });
});
