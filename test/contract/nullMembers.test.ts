import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { readBody } from "../../shared/base/common/readBody.ts";
import { localClusterId } from "../harness/boutique.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { declarations } from "../security/declarations.ts";

/** Where null is a value (decisions 19.7). */
const values = ["value", "default"];
/** No body of the API is deeper; a schema that holds itself ends here. */
const deepest = 8;

type Path = readonly (string | 0)[];

/** Every optional member that a schema declares, by its path. */
function optionalMembers(schema: z.core.$ZodType, path: Path = []): Path[] {
  if (path.length > deepest) return [];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, member]) => {
      const own = [...path, name];
      // What takes anything takes null as it is.
      const isOptional = !(member instanceof z.ZodUnknown) && member.safeParse(undefined).success;
      return [...(isOptional ? [own] : []), ...optionalMembers(member, own)];
    });
  if (schema instanceof z.ZodArray) return optionalMembers(schema.element, [...path, 0]);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => optionalMembers(one, path));
  if (schema instanceof z.ZodIntersection)
    return [...optionalMembers(schema.def.left, path), ...optionalMembers(schema.def.right, path)];
  if (schema instanceof z.ZodPipe)
    return optionalMembers(schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in, path);
  const inner = (schema as { def?: { innerType?: z.core.$ZodType } }).def?.innerType;
  return inner === undefined ? [] : optionalMembers(inner, path);
}

/** A body that holds what leads to a member, and the member where it is given. */
function bodyWith(path: Path, member: { value: unknown } | undefined): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return member?.value;
  const inner = bodyWith(rest, member);
  if (first === 0) return [inner];
  return rest.length === 0 && member === undefined ? {} : { [first]: inner };
}

/** What was read, with what is null as what is absent. */
function read(schema: z.ZodType, body: unknown): unknown {
  const said = readBody(schema, body);
  return JSON.parse(JSON.stringify(said, (_key, value: unknown) => (value === null ? undefined : value)));
}

const bodies = declarations.flatMap(({ name, route }) =>
  route.body === undefined ? [] : [[name, route.body] as const],
);

test("every optional member of every body is read as absent when it is null (decisions 19.7)", () => {
  let tried = 0;
  const different = bodies.flatMap(([name, schema]) =>
    optionalMembers(schema).flatMap((path) => {
      if (values.includes(String(path.at(-1)))) return [];
      tried++;
      const absent = read(schema, bodyWith(path, undefined));
      const isNull = read(schema, bodyWith(path, { value: null }));
      return JSON.stringify(absent) === JSON.stringify(isNull)
        ? []
        : [`${name} ${path.join(".")}: ${JSON.stringify(isNull)} in place of ${JSON.stringify(absent)}`];
    }),
  );
  expect(different).toEqual([]);
  expect(tried).toBeGreaterThan(1000);
});

test("a null that is a value stays one, one in a list is refused, and a required member is missing", () => {
  const schema = z.object({
    name: z.string(),
    list: z.array(z.string()).optional(),
    pairs: z.array(z.object({ key: z.string(), value: z.json(), note: z.string().default("none") })).default([]),
  });
  const pairs = [{ key: "a", value: null, note: null }];
  expect(readBody(schema, { name: "x", list: null, pairs })).toEqual({
    data: { name: "x", pairs: [{ key: "a", value: null, note: "none" }] },
  });
  expect(readBody(schema, { name: "x", list: [null] }).refused).toHaveLength(1);
  expect(readBody(schema, { name: null }).refused).toEqual([{ path: ["name"], message: "is required" }]);
});

interface Case {
  name: string;
  method: "POST" | "PUT";
  path: string;
  body: object;
  settle?: string;
}

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway?.close());

/** More of the kind: what programs in Go send to other groups. */
const more: Case[] = [
  {
    ...{ name: "a workflow", method: "POST", path: "/openapi/workflows/custom" },
    body: { name: "flow", project: "nulls", params: null, stages: [{ name: "one", jobs: null, approval: null }] },
  },
  {
    ...{ name: "a test", method: "POST", path: "/openapi/quality/testing" },
    body: {
      ...{ name: "unit", project_key: "nulls", build_os: "ubuntu 20.04", script: "true", description: null },
      ...{ repo_info: null, parameters: null, advanced_settings: null },
    },
  },
  {
    ...{ name: "a release plan", method: "POST", path: "/api/aslan/release_plan/v1" },
    body: { name: "plan", manager: null, manager_id: null, jobs: null, approval: null, description: null },
  },
];

test("the calls of the cases are answered as if the members were left out", async () => {
  const file = new URL("../fixtures/cases/nulls.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };
  const registries = await slipway.call<{ registry_id: string }[]>("GET", "/openapi/system/registry");
  const [registry] = registries.json;
  const filled = (body: object): object =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll("$cluster_id", localClusterId)
        .replaceAll("$registry_id", registry?.registry_id ?? ""),
    );
  for (const { name, method, path, body, settle } of [...cases, ...more]) {
    const { status, text } = await slipway.call(method, path, { body: filled(body) });
    if (name === "a release plan" && status === 400) {
      // Who manages the plan is required, as without the nulls.
      expect(text).toContain("manager");
      continue;
    }
    expect(status, `${name}: ${text}`).toBe(200);
    if (settle === undefined) continue;
    await waitFor("the environment to rest", async () => {
      const { json } = await slipway.call<{ status: string }>(
        "GET",
        `/openapi/environments/${settle}?projectKey=nulls`,
      );
      return !["creating", "updating"].includes(json.status.toLowerCase());
    });
  }
});
