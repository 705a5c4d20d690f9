import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plain, readDocument, type Schema, type SentDocument } from "../../console/src/operations/apiDocument.ts";
import { filled, recordsOf, sourceOf } from "../../console/src/operations/choices.ts";
import { givenHere } from "../../console/src/operations/given.ts";
import { operationPlaces } from "../../console/src/operations/places.ts";
import { declaredDocument } from "../../functions/api/meta/declaredDocument.ts";

const sent = JSON.parse(JSON.stringify(declaredDocument())) as SentDocument;
const document = readDocument(sent);
const source = join(import.meta.dirname, "../../console/src");
const named = (id: string) => {
  const found = document.operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
};

/** What browsers call to sign in, and services to say that something happened. */
const withoutToken = [
  ...["initializationStatus", "initializeUser", "login", "loginEnabled", "beginSignOn", "finishSignOn"],
  ...["hearCodeHost", "callGeneralHook", "callJiraHook", "hearLark", "hearDingtalk", "checkWorkwx", "hearWorkwx"],
  ...["getDocument", "getDocument30", "getHealth", "getReadiness", "getLoginKey"],
];

test("each operation has a place: a page whose tags hold it, or no form because it needs no token", () => {
  const placed = new Set(Object.values(operationPlaces).flat());
  expect(document.operations.filter(({ tag }) => !placed.has(tag)).map(({ id }) => id)).toEqual([]);
  const all = Object.values(sent.paths).flatMap((methods) => Object.values(methods));
  const offered = new Set(document.operations.map(({ id }) => id));
  const left = all.map(({ operationId }) => operationId).filter((id) => !offered.has(id));
  expect(left.sort()).toEqual(withoutToken.sort());
});

test("each place is an address of the console, and has only tags that the document has", () => {
  const router = readFileSync(join(source, "router.tsx"), "utf8");
  const tags = new Set(document.operations.map(({ tag }) => tag));
  for (const [pattern, held] of Object.entries(operationPlaces)) {
    expect(router).toContain(`path: "${pattern}"`);
    expect(held.filter((tag) => !tags.has(tag))).toEqual([]);
  }
});

test("each operation that a page names exists", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"));
  const ids = files.flatMap((name) => {
    const text = readFileSync(join(source, name), "utf8");
    const chosen = [...text.matchAll(/\boperation=(?:"\w+"|\{[^}]*\})/g)].flatMap(([all]) => all.match(/"\w+"/g) ?? []);
    const linked = [...text.matchAll(/\boperations=\{\{([\s\S]*?)\}\}\n/g)].flatMap(
      ([, all = ""]) => all.match(/\w+(?=: (t\(|"))/g) ?? [],
    );
    return [...chosen.map((id) => id.slice(1, -1)), ...linked];
  });
  expect(ids.length).toBeGreaterThan(30);
  for (const id of ids) expect(named(id).summary).not.toBe("");
});

test("the body of each operation comes apart into fields, without references", () => {
  const seen = (schema: Schema, depth = 0): string[] => {
    const own = plain(document, schema);
    if (own.$ref !== undefined) return ["a reference is left"];
    if (depth > 4) return [];
    return Object.values(own.properties ?? {}).flatMap((inner) => seen(inner, depth + 1));
  };
  for (const { id, body } of document.operations) if (body !== undefined) expect(seen(body), id).toEqual([]);
});

test("what may be null, one of several texts, or put together from parts is one field", () => {
  const some = { schemas: { Id: { type: "string", pattern: "^a$" } } };
  const reference = { $ref: "#/components/schemas/Id" };
  expect(plain(some, { anyOf: [reference, { type: "null" }], description: "whose" })).toEqual({
    ...{ type: "string", pattern: "^a$", description: "whose" },
  });
  expect(plain(some, { anyOf: [{ const: "a" }, { const: "b" }] }).enum).toEqual(["a", "b"]);
  expect(plain(some, { anyOf: [reference, { type: "string", const: "" }] }).type).toBe("string");
  const parts = plain(some, {
    allOf: [
      { type: "object", properties: { a: reference }, required: ["a"] },
      { type: "object", properties: { b: reference } },
    ],
  });
  expect([Object.keys(parts.properties ?? {}), parts.required]).toEqual([["a", "b"], ["a"]]);
});

test("what there is a list of is chosen, and the name of something new is typed", () => {
  const of = (id: string, name: string, place: "path" | "body", given = {}) =>
    sourceOf(document.operations, named(id), { name, in: place }, given)?.path;
  expect(of("createTestEnvironment", "cluster_id", "body")).toBe("/openapi/system/cluster");
  expect(of("createTestEnvironment", "registry_id", "body")).toBe("/openapi/system/registry");
  expect(of("createTestEnvironment", "env_key", "body", { projectKey: "shop" })).toBeUndefined();
  expect(of("createProject", "project_key", "body")).toBeUndefined();
  expect(of("deleteCodeHost", "id", "path")).toBe("/api/aslan/system/codehosts");
  expect(of("deleteBaseImage", "id", "path")).toBe("/api/aslan/system/basicImages");
  expect(of("deleteDockerfile", "id", "path")).toBe("/api/aslan/template/dockerfile");
});

test("an answer is a list of records, also inside of one field, and never one of two", () => {
  expect(recordsOf([{ a: 1 }])).toEqual([{ a: 1 }]);
  expect(recordsOf({ total: 1, users: [{ a: 1 }] })).toEqual([{ a: 1 }]);
  expect(recordsOf({ users: [{ a: 1 }], groups: [{ b: 1 }] })).toBeUndefined();
  expect(recordsOf(["a"])).toBeUndefined();
  expect(filled("/a/{id}/b", { id: "x/y" })).toBe("/a/x%2Fy/b");
});

test("forms begin with what the page shows", () => {
  const pattern = "/v1/projects/detail/$project/envs/detail";
  const here = { pattern, params: { project: "shop" }, search: { envName: "dev", service: "web" } };
  expect(givenHere(here)).toMatchObject({ projectKey: "shop", envName: "dev", serviceName: "web" });
  expect(givenHere({ ...here, search: {} })).not.toHaveProperty("envName");
});
