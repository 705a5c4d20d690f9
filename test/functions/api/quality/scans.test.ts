import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCredentials } from "../../../../shared/workflows/jobDefinitions/readCredentials.ts";
import { findScan, scans } from "../../../../shared/workflows/jobDefinitions/store/scans.ts";
import { type DefinitionCalls, idOf, repo, startForDefinitions } from "../../../harness/definitionCalls.ts";

const path = "/openapi/quality/codescan";
/** As the specification writes it (S 4.6). */
const sample = {
  name: "web-scan",
  project_key: "shop",
  description: "",
  scanner_type: "sonarQube",
  image_name: "node 24",
  sonar_system: "sonar",
  repo_info: [repo],
  addons: [{ name: "java", version: "21" }],
  sonar_parameter: "sonar.projectKey=web",
  script: "",
  enable_quality_gate: true,
  archive_paths: ["web/out"],
  advanced_settings: {
    cluster_name: "local",
    timeout: 60,
    resource_spec: { cpu_limit: 2000, memory_limit: 1024, cpu_request: 100, memory_request: 64 },
    webhooks: {
      enabled: true,
      hook_list: [
        { ...repo, events: ["push", "pull_request"], match_folders: ["/", "!.md"] },
        { ...repo, branch: "next", events: ["tag"], match_folders: [] },
      ],
    },
  },
};

let calls: DefinitionCalls;

beforeAll(async () => {
  calls = await startForDefinitions();
  const server = { system_identity: "sonar", server_address: "https://sonar.example.com", token: "t" };
  await calls.ok("POST", "/api/aslan/system/sonar/integration", server);
});

afterAll(() => calls.slipway.close());

type Shown = Record<string, unknown>;
const shown = (name = "web-scan") => calls.ok<Shown>("GET", `${path}/${name}?projectKey=shop`);

describe("a code scan", () => {
  test("is shown as it was sent, and can be sent back like that", async () => {
    expect(await calls.ok("POST", `${path}?projectKey=shop`, sample)).toEqual({ message: "success" });
    const answer = await shown();
    const { resource_spec: spec, ...settings } = sample.advanced_settings;
    expect(answer).toMatchObject({ ...sample, advanced_settings: settings, update_by: "admin" });
    const { cpu_request: cpu_req, memory_request: memory_req, ...limits } = spec;
    expect(answer.advanced_settings).toMatchObject({ resource_spec: { ...limits, cpu_req, memory_req } });
    await calls.ok("PUT", path, answer);
    expect({ ...(await shown()), update_time: 0 }).toEqual({ ...answer, update_time: 0 });
  });

  test("of another scanner needs no SonarQube server, and most has defaults", async () => {
    const least = { name: "least", project_key: "shop", scanner_type: "other", image_name: "ubuntu 18.04" };
    await calls.ok("POST", path, { ...least, script: "make lint" });
    expect(await shown("least")).toMatchObject({
      ...{ ...least, script: "make lint", sonar_system: "", repo_info: [], addons: [], enable_quality_gate: false },
      advanced_settings: { cluster_name: "local", timeout: 60, webhooks: { enabled: false, hook_list: [] } },
    });
    await calls.ok("DELETE", `${path}?projectKey=shop&name=least`);
  });

  test("keeps the values of its credentials sealed", async () => {
    const parameters = [{ key: "TOKEN", type: "string", value: "a-secret-value", is_credential: true }];
    await calls.ok("PUT", path, { ...sample, parameters });
    const stored = await findScan("shop", "web-scan");
    expect(JSON.stringify([stored, await shown()])).not.toContain("a-secret-value");
    expect(stored && (await readCredentials(scans, stored))).toEqual(new Map([["TOKEN", "a-secret-value"]]));
  });

  test.each([
    ["name", "", "scanning name cannot be empty"],
    ["name", undefined, "scanning name cannot be empty"],
    ["image_name", undefined, "image name cannot be empty"],
    ["scanner_type", "fortify", "scanner_type can only be sonarQube or other"],
    ["sonar_system", "", "is required for scanner_type sonarQube"],
    ["repo_info", [{ ...repo, branch: "" }], "branch cannot be empty"],
    ["advanced_settings", { cluster_name: "" }, "cannot be empty"],
    ["advanced_settings", { cluster_name: "local", webhooks: { enabled: true } }, "hook_list"],
    ["advanced_settings", { cluster_name: "local", resource_spec: { cpu_limit: 1 } }, "memory_limit"],
  ])("is refused when %s is %j", async (field, value, sentence) => {
    const { status, json } = await calls.refused("POST", path, { ...sample, [field]: value });
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.description).toContain(sentence);
    expect(json.extra.problems?.every((problem) => problem.path.startsWith(field))).toBe(true);
  });

  test("names what it refers to and that does not exist", async () => {
    const absent = { ...sample, name: "new", image_name: "nothing", sonar_system: "nobody" };
    const { json } = await calls.refused("POST", path, absent);
    expect(json.code).toBe(6535);
    for (const part of ["image_name: base image nothing", "sonar_system: SonarQube integration nobody"])
      expect(json.description).toContain(`${part} does not exist`);
    expect((await calls.refused("PUT", path, { ...absent, name: "web-scan" })).json.code).toBe(6536);
  });

  test("has a name that is unique in its project", async () => {
    const { json } = await calls.refused("POST", path, sample);
    expect([json.code, json.description]).toEqual([6535, "a code scan with the name web-scan exists"]);
    await calls.ok("POST", path, { ...sample, project_key: "other" });
    await calls.ok("DELETE", `${path}?projectKey=other&name=web-scan`);
  });

  test("holds its SonarQube server", async () => {
    const records = "/api/aslan/system/sonar/integration";
    const id = await idOf(calls, records, "system_identity", "sonar");
    const { json } = await calls.refused("DELETE", `${records}/${id}`);
    expect(json.description).toContain("is used by code scan web-scan of project shop");
  });

  test("is listed, and gone when it was deleted", async () => {
    const list = () => calls.ok<{ total: number; codescans: Shown[] }>("GET", `${path}?projectKey=shop`);
    const { total, codescans } = await list();
    expect([total, codescans]).toEqual([1, [expect.objectContaining({ name: "web-scan", scanner_type: "sonarQube" })]]);
    for (let times = 0; times < 2; times++) await calls.ok("DELETE", `${path}?projectKey=shop&name=web-scan`);
    expect(await list()).toEqual({ total: 0, codescans: [] });
    expect((await calls.refused("GET", `${path}/web-scan?projectKey=shop`)).status).toBe(404);
    expect((await calls.refused("PUT", path, sample)).status).toBe(404);
  });
});
