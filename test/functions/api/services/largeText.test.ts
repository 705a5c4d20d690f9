import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { findServices } from "../../../../shared/projects/services/store/services.ts";
import { boutique } from "../../../harness/boutique.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const prefix = "/openapi/service/yaml";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_key: "demo", project_name: "Demo", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

const create = (name: string, yaml: string, rest: object = {}) =>
  slipway.call("POST", `${prefix}/raw?projectKey=demo`, { body: { service_name: name, yaml, ...rest } });
const read = (name: string) =>
  slipway.call<{ yaml: string; service_variable_kvs: { value: unknown }[] }>(
    "GET",
    `${prefix}/${name}?projectKey=demo`,
  );
const replace = (name: string, yaml: string) =>
  slipway.call("PUT", `${prefix}/${name}?projectKey=demo`, { body: { type: "k8s", yaml } });
const storedObjects = () => readdirSync(join(slipway.dataDir, "aws", "objects")).length;

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
/** A manifest of exactly this many bytes, with line ends and letters of several bytes. */
function manifestOf(bytes: number): string {
  const line = "# Zeile mit ä und 界\r\n";
  const size = Buffer.byteLength(line);
  const whole = Math.floor((bytes - configMap.length) / size);
  const rest = bytes - configMap.length - whole * size;
  return configMap + line.repeat(whole) + "\n".repeat(rest);
}

describe("text of services", () => {
  test.each([
    ["just under 64 KB", 60_000],
    ["over 64 KB", 70_000],
    ["over 400 KB", 450_000],
    ["2 MiB", 2 * 1024 * 1024],
  ])("of %s comes back byte for byte, also after an edit", async (_, bytes) => {
    const yaml = manifestOf(bytes);
    const name = `of-${bytes}`;
    expect((await create(name, yaml)).json).toEqual({ message: "success" });
    expect((await read(name)).json.yaml === yaml).toBe(true);
    const edited = yaml.replace("name: c", "name: d");
    expect((await replace(name, edited)).json).toEqual({ message: "success" });
    expect((await read(name)).json.yaml === edited).toBe(true);
    const loaded = await findServices("demo", "test", [name, "missing"]);
    expect([...loaded.keys()]).toEqual([name]);
    expect(loaded.get(name)?.yaml === edited).toBe(true);
  });

  test("of one byte more than 2 MiB is refused", async () => {
    expect((await create("beyond", manifestOf(2 * 1024 * 1024 + 1))).json).toMatchObject({
      code: 6045,
      description: expect.stringContaining("at most 2097152"),
    });
  });

  test("goes to the object store when it passes 64 KB with its variables, and not before", async () => {
    const before = storedObjects();
    const value = "v".repeat(40_000);
    await create("small-pair", configMap, { variable_yaml: [{ key: "a", value, type: "string" }] });
    expect(storedObjects()).toBe(before);
    const two = ["a", "b"].map((key) => ({ key, value, type: "string" }));
    await create("large-pair", configMap, { variable_yaml: two });
    expect(storedObjects()).toBe(before + 1);
    expect((await read("large-pair")).json.service_variable_kvs.map((variable) => variable.value)).toEqual([
      value,
      value,
    ]);
    const item = await table().get(keys.service("demo", "test", "large-pair"));
    expect(JSON.stringify(item).length).toBeLessThan(1000);
  });

  test("with more names of containers than an item may hold is refused", async () => {
    const containers = Array.from(
      { length: 900 },
      (_, at) => `{name: c${at}, image: "reg.io/${"i".repeat(150)}:v${at}"}`,
    );
    const yaml = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: c}\nspec: {template: {spec: {containers: [${containers.join(", ")}]}}}\n`;
    expect((await create("crowded", yaml)).json).toMatchObject({
      code: 6045,
      description: expect.stringContaining("split the service"),
    });
    expect((await read("crowded")).status).toBe(404);
  });

  test("of a real application is stored as it is, with its containers", async () => {
    for (const [name, yaml] of boutique) expect((await create(name, yaml)).json).toEqual({ message: "success" });
    for (const [name, yaml] of boutique) expect((await read(name)).json.yaml).toBe(yaml);
    const { json } = await slipway.call<{ service: { service_name: string; containers: unknown[] }[] }>(
      "GET",
      `${prefix}/services?projectKey=demo`,
    );
    const listed = json.service.filter((service) => boutique.has(service.service_name));
    expect(listed).toHaveLength(12);
    expect(listed.every((service) => service.containers.length > 0)).toBe(true);
  });
});
