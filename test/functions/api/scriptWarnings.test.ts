import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Slipway } from "../../harness/slipway.ts";
import { startShop } from "../../harness/tasks.ts";

let slipway: Slipway;

beforeAll(async () => {
  ({ slipway } = await startShop());
});

afterAll(() => slipway.close());

type Saved = { warnings?: { code: string; message: string }[] };

const windows = "echo one\necho two\r\necho three\r\n";
const resource_spec = { cpu_limit: 1000, cpu_request: 100, memory_limit: 512, memory_request: 100 };
const saves = {
  build: {
    path: "/openapi/build?projectKey=shop",
    field: "build_script",
    body: (name: string, script: string, more: object) => ({
      ...{ name, project_key: "shop", infrastructure: "kubernetes", build_os: "focal", script_type: "shell" },
      ...{ installs: [], build_script: script, services: [], ...more },
    }),
  },
  test: {
    path: "/openapi/quality/testing",
    field: "script",
    body: (name: string, script: string, more: object) => ({
      ...{ name, project_key: "shop", build_os: "focal", script, ...more },
    }),
  },
  scan: {
    path: "/openapi/quality/codescan",
    field: "script",
    body: (name: string, script: string, more: object) => ({
      ...{ name, project_key: "shop", scanner_type: "other", image_name: "focal", script, ...more },
      advanced_settings: { cluster_name: "local", timeout: 60, resource_spec },
    }),
  },
};

describe.each(Object.entries(saves))("saving a %s (decisions 19.9)", (kind, { path, field, body }) => {
  const save = (method: "POST" | "PUT", script: string, more: object = {}) =>
    slipway.call<Saved>(method, path, { body: body(`of-${kind}`, script, more) });

  test("warns of a script with the line ends of Windows, when it is made and when it is replaced", async () => {
    const expected = [
      { code: "carriage_returns", message: expect.stringContaining(`${field}, line 2: lines end with CR LF`) },
    ];
    for (const method of ["POST", "PUT"] as const) {
      const { status, json, text } = await save(method, windows);
      expect(status, text).toBe(200);
      expect(json.warnings).toMatchObject(expected);
    }
    expect((await save("PUT", "echo one\n")).json).toEqual({ message: "success" });
  });

  test.runIf(kind === "build")("warns of what cannot run here", async () => {
    for (const [more, named] of [
      [{ infrastructure: "vm" }, "infrastructure: each of its tasks fails"],
      [{ script_type: "batch_file" }, "script_type: each of its tasks fails"],
      [{ script_type: "powershell" }, "script_type: each of its tasks fails"],
    ] as const) {
      const { status, json, text } = await save("PUT", "true", more);
      expect(status, text).toBe(200);
      expect(json.warnings).toMatchObject([{ code: "job_kind_not_run", message: expect.stringContaining(named) }]);
    }
  });
});
