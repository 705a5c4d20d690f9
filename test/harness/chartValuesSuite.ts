import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readValues } from "../../shared/packaging/helm/rules/readValues.ts";
import { detailOf } from "./boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  untilChanged,
} from "./chartProject.ts";
import { type CodeHostApis, startCodeHostApis } from "./codeHostApis.ts";
import type { Standing } from "./environmentSuite.ts";
import { chartFiles } from "./packedChart.ts";
import type { Slipway } from "./slipway.ts";
import { makeWorkflow, tasksOf } from "./tasks.ts";

const token = "token-of-the-code-host";
const success = '{"message":"success"}';

/** Where values of a chart come from beside its service: the same on every cluster. */
export function chartValuesSuite(cluster: string, open: (settings: Record<string, string>) => Promise<Standing>): void {
  let slipway: Slipway;
  let command: HelmCommand;
  let apis: CodeHostApis;
  let tasks: ReturnType<typeof tasksOf>;
  const namespace = `slipway-test-values-${randomBytes(3).toString("hex")}`;
  const variablePath = "/openapi/environments/dev/variable?projectKey=given";
  const file = {
    ...{ codehost_name: "github", namespace: "team", repo: "shop", branch: "release/1" },
    value_path: "config/prod/settings.yaml",
  };

  const valuesOf = async (name: string) => readValues(await command.run(namespace, "get", "values", name));
  const deploy = (service: object) => {
    const body = { services: [service] };
    return slipway.call("POST", "/openapi/environments/helm/dev/services?projectKey=given", { body });
  };
  const deployed = async (service: object): Promise<void> => {
    const answer = await deploy(service);
    expect(answer.status, answer.text).toBe(200);
    await untilChanged(slipway, "given", "dev");
  };
  const setGlobals = (global_variables: object[]) => slipway.call("PUT", variablePath, { body: { global_variables } });
  const givenGlobals = async (global_variables: object[]): Promise<void> => {
    const answer = await setGlobals(global_variables);
    expect(answer.text).toBe(success);
    await untilChanged(slipway, "given", "dev");
  };
  async function runJob(name: string, service: object, more: object = {}) {
    const spec = { env: "dev", deploy_contents: ["vars"], services: [service], ...more };
    await makeWorkflow("given", {
      name,
      stages: [{ name: "ship", jobs: [{ name: "ship", type: "zadig-deploy", spec }] }],
    });
    const { stages } = await tasks.end(name, await tasks.started(name, ["ship"]));
    return stages[0]?.jobs[0];
  }

  beforeAll(async () => {
    apis = await startCodeHostApis(token);
    const standing = await open({ SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" });
    slipway = standing.slipway;
    tasks = tasksOf(slipway, "given");
    command = helmCommand(standing.kubeconfig);
    const host = { type: "github", address: apis.url, alias: "github", auth_type: "token", access_token: token };
    expect((await slipway.call("POST", "/api/aslan/system/codehosts", { body: host })).status).toBe(200);
    await makeChartProject(slipway, "given", chartFiles("1.0.0"));
    for (const service_name of ["web", "api"]) await readStoredChart(slipway, "given", { service_name });
    await makeChartEnvironment(slipway, "given", { env_name: "dev", namespace });
    await untilChanged(slipway, "given", "dev");
  });

  beforeEach(() => void Object.assign(apis, { text: "replicaCount: 2\ncolor: teal\n", status: undefined }));

  afterAll(async () => {
    command.close();
    await slipway.call("DELETE", "/openapi/environments/dev?projectKey=given&isDelete=true");
    await slipway.close();
    await apis.close();
  });

  describe(`values out of a repository on ${cluster}`, () => {
    test("lie below the ones that are sent, and stay in force", async () => {
      await deployed({ service_name: "web", import_values_from_git: file, values_yaml: "color: red" });
      expect(await valuesOf("web")).toMatchObject({ replicaCount: 2, color: "red" });
      apis.text = "replicaCount: 5\n";
      await deployed({ service_name: "web", override_kvs: [{ key: "extra", value: 1 }] });
      expect(await valuesOf("web")).toMatchObject({ replicaCount: 2, color: "red", extra: 1 });
    });

    test("that cannot be had are refused, and why is told", async () => {
      const cases: [object, string | undefined, string][] = [
        [{ ...file, branch: undefined }, "a: 1", "import_values_from_git.branch"],
        [{ ...file, codehost_name: "none" }, "a: 1", "code host none does not exist"],
        [{ ...file, auto_sync: true }, "a: 1", "import_values_from_git.auto_sync"],
        [file, undefined, "has no file config/prod/settings.yaml on branch release/1 of team/shop"],
        [file, "<html>", "values must be a map of keys"],
        [file, "a:\n\tb: 1", "config/prod/settings.yaml on branch release/1"],
      ];
      for (const [import_values_from_git, text, reason] of cases) {
        apis.text = text;
        const answer = await deploy({ service_name: "web", import_values_from_git });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
      }
      expect(await valuesOf("web")).toMatchObject({ replicaCount: 2 });
    });

    test("are read by a job when it deploys", async () => {
      apis.text = "color: navy\nreplicaCount: 1\n";
      const auto = { value_sync_strategy: "auto" };
      const service = { service_name: "web", source_git_repo: file, variable_yaml: "replicaCount: 3" };
      expect(await runJob("sync", service, auto)).toMatchObject({ status: "passed", error: "" });
      expect(await valuesOf("web")).toMatchObject({ replicaCount: 3, color: "navy" });
      apis.text = undefined;
      const failed = await runJob("lost", service, auto);
      expect(failed).toMatchObject({ status: "failed", error: expect.stringContaining("has no file") });
      expect(await runJob("manual", service, { value_sync_strategy: "manual" })).toMatchObject({ status: "passed" });
    });
  });

  describe(`global variables of charts on ${cluster}`, () => {
    beforeAll(async () => {
      const definitions = ["region", "tier"].map((key) => ({
        key,
        value: "none",
        type: "string",
        options: [],
        desc: "",
      }));
      const path = "/api/aslan/project/products/given/globalVariables";
      const answer = await slipway.call("PUT", path, { body: { global_variables: definitions } });
      expect(answer.text).toBe(success);
      await deployed({ service_name: "api" });
    });

    test("go to the charts that they name, as global.<key>, and to no other", async () => {
      await givenGlobals([{ key: "region", value: "eu", related_services: ["web"] }]);
      expect(await valuesOf("web")).toMatchObject({ global: { region: "eu" }, color: "navy" });
      expect(await valuesOf("api")).not.toHaveProperty("global");
      await givenGlobals([{ key: "region", value: "us" }]);
      expect(await valuesOf("web")).toMatchObject({ global: { region: "us" } });
      await givenGlobals([{ key: "region", value: "us", related_services: ["web", "api"] }]);
      expect(await valuesOf("api")).toMatchObject({ global: { region: "us" } });
    });

    test("stay through a deployment, below the values that are sent", async () => {
      await deployed({ service_name: "api", values_yaml: "replicaCount: 2" });
      expect(await valuesOf("api")).toMatchObject({ replicaCount: 2, global: { region: "us" } });
      await deployed({ service_name: "api", override_kvs: [{ key: "global.region", value: "own" }] });
      expect(await valuesOf("api")).toMatchObject({ global: { region: "own" } });
      const { services } = await detailOf(slipway, "given", "dev");
      expect(services.find(({ service_name }) => service_name === "api")).toMatchObject({
        variable_kvs: [{ key: "region", value: "us", use_global_variable: true }],
      });
    });

    test("are not taken away while a chart takes them, and name only what is there", async () => {
      for (const [list, reason] of [
        [[], "region (used by web, api)"],
        [
          [{ key: "region", value: "us", related_services: ["none"] }],
          "names service none, which is not in environment dev",
        ],
        [
          [
            { key: "region", value: "us" },
            { key: "other", value: "us" },
          ],
          "other is not defined on the project",
        ],
      ] as const) {
        const answer = await setGlobals([...list]);
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
      }
    });

    test("are taken and given up by a job", async () => {
      await givenGlobals([
        { key: "region", value: "us" },
        { key: "tier", value: "gold" },
      ]);
      const flag = (key: string, use_global_variable: boolean) => ({ key, value: "", use_global_variable });
      const takes = { service_name: "web", variable_kvs: [flag("tier", true)] };
      expect(await runJob("take", takes)).toMatchObject({ status: "passed", error: "" });
      expect(await valuesOf("web")).toMatchObject({ global: { region: "us", tier: "gold" } });
      const lacks = await runJob("lack", { service_name: "web", variable_kvs: [flag("none", true)] });
      expect(lacks).toMatchObject({ status: "failed", error: expect.stringContaining("has no global variable none") });
      const list = await slipway.call<{ key: string; related_services: string[] }[]>("GET", variablePath);
      expect(list.json.map(({ key, related_services }) => [key, [...related_services].sort()])).toEqual([
        ["region", ["api", "web"]],
        ["tier", ["web"]],
      ]);
    });
  });

  describe(`default values of an environment on ${cluster}`, () => {
    const path = "/openapi/environments/dev/defaultValues?projectKey=given";
    const revisionOf = async (name: string) => {
      const list: { name: string; revision: string }[] = JSON.parse(await command.run(namespace, "list", "-o", "json"));
      return Number(list.find((release) => release.name === name)?.revision);
    };
    const setDefaults = async (default_values: unknown) => {
      const answer = await slipway.call("PUT", path, { body: { default_values } });
      await untilChanged(slipway, "given", "dev");
      return answer;
    };

    test("lie below all others, upgrade only releases that they change, and can be seen before", async () => {
      await deployed({ service_name: "web", values_yaml: "color: red" });
      await deployed({ service_name: "api", values_yaml: "replicaCount: 2" });
      const before = { web: await revisionOf("web"), api: await revisionOf("api") };
      const body = { default_values: "color: green" };
      const seen = await slipway.call("PUT", `${path}&dryRun=true`, { body });
      expect(seen.text).toContain('"name":"api-settings"');
      expect(seen.text).not.toContain('"name":"web-settings"');
      expect((await slipway.call<{ default_values: string }>("GET", path)).json).toEqual({ default_values: "" });
      expect((await setDefaults("color: green")).text).toBe(success);
      expect(await valuesOf("api")).toMatchObject({ color: "green", replicaCount: 2 });
      expect(await valuesOf("web")).toMatchObject({ color: "red" });
      expect([await revisionOf("web"), await revisionOf("api")]).toEqual([before.web, before.api + 1]);
      expect((await slipway.call<{ default_values: string }>("GET", path)).json).toEqual({
        default_values: "color: green",
      });
      await setDefaults("color: green");
      expect(await revisionOf("api")).toBe(before.api + 1);
    });

    test("stay through a deployment, and go", async () => {
      await deployed({ service_name: "api", values_yaml: "replicaCount: 1" });
      expect(await valuesOf("api")).toMatchObject({ color: "green", replicaCount: 1 });
      expect((await setDefaults("")).text).toBe(success);
      expect(await valuesOf("api")).not.toHaveProperty("color");
    });

    test("that are none are refused", async () => {
      for (const [sent, reason] of [
        ["- a", "values must be a map of keys"],
        ["a:\n\tb: 1", "line 2"],
        [1, "default_values"],
        [undefined, "default_values"],
        [`a: ${"x".repeat(1_000_001)}`, "default_values"],
      ] as const) {
        const answer = await slipway.call("PUT", path, { body: { default_values: sent } });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
      }
      const lost = path.replace("/dev/", "/none/");
      expect((await slipway.call("PUT", lost, { body: { default_values: "" } })).status).toBe(404);
      expect((await slipway.call("GET", lost)).status).toBe(404);
    });
  });
}
