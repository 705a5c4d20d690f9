import { afterAll, beforeAll, expect, test } from "vitest";
import { eitherPlace } from "../../shared/http/eitherPlace.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { declarations } from "./declarations.ts";
import { expectError } from "./expectError.ts";
import { harmlessRequest, pathOf } from "./requests.ts";

/** Every declaration that asks query or body for the project and has a body. */
const asking = declarations.flatMap(({ name, route }) => {
  const either = eitherPlace(route);
  return either === undefined ? [] : [{ name, route, query: either.query, body: either.body }];
});
const nowhere = { project: "absent", environment: "absent", uid: "absent" };
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  for (const project_key of ["shop", "other"]) {
    const body = { project_name: project_key, project_key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
});

afterAll(() => slipway.close());

/** A request that is as incomplete as one can be, with the project where the test wants it. */
function send({ route }: (typeof asking)[number], query: Record<string, string>, body: Record<string, unknown>) {
  const { params } = harmlessRequest(route, { kind: "public", project: "nowhere" } as never, nowhere);
  return slipway.call(route.method, pathOf(route.path, params, query), { body });
}

test("there are declarations of both kinds", () => {
  const declared = new Set(asking.map(({ route }) => [route.scope.project ?? []].flat()[0]?.in));
  expect([...declared].sort()).toEqual(["body", "query"]);
});

test.each(asking)("$name refuses two projects and names both places", async (one) => {
  const answer = await send(one, { [one.query]: "shop" }, { [one.body]: "other" });
  const { extra } = expectError(answer, 400, one.name);
  expect(extra.problems).toEqual(
    expect.arrayContaining([
      { in: "query", path: one.query, problem: `differs from ${one.body} of the body; name one project` },
      { in: "body", path: one.body, problem: `differs from ${one.query} of the query; name one project` },
    ]),
  );
});

test.each(asking)("$name takes the project from the other place", async (one) => {
  for (const [query, body] of [
    [{}, { [one.body]: "shop" }],
    [{ [one.query]: "shop" }, {}],
    [{ [one.query]: "" }, { [one.body]: "shop" }],
  ] as [Record<string, string>, Record<string, unknown>][]) {
    const answer = await send(one, query, body);
    const problems = (answer.json as { extra?: { problems?: { path: string }[] } }).extra?.problems ?? [];
    expect(problems.filter(({ path }) => path === one.query || path === one.body)).toEqual([]);
  }
});

test("a definition that names its project in the query only is stored with it", async () => {
  const workflow = { name: "release", display_name: "release", stages: [] };
  const path = "/api/aslan/workflow/v4?projectKey=shop";
  expect((await slipway.call("POST", path, { body: workflow })).json).toEqual({ message: "success" });
  const read = await slipway.call("GET", "/api/aslan/workflow/v4/name/release?projectKey=shop");
  expect(read.json).toMatchObject({ name: "release", project: "shop" });
});

test("what is missing is required, whatever its schema would have wanted of it", async () => {
  const deploy = { project_key: "shop", target_services: [{}], template_name: "node" };
  const answer = await slipway.call("POST", "/openapi/build?source=template", { body: deploy });
  expect(expectError(answer, 400, "without texts").extra.problems).toEqual([
    { in: "body", path: "name", problem: "is required" },
    { in: "body", path: "target_services[0].service_name", problem: "is required" },
    { in: "body", path: "target_services[0].service_module", problem: "is required" },
  ]);
  const storage = { enabled: true, storages_properties: [{ name: "cache", mount_path: "/cache" }] };
  const scan = { name: "lint", scanner_type: "other", image_name: "node 24", advanced_settings: { storages: storage } };
  const chosen = await slipway.call("POST", "/openapi/quality/codescan?projectKey=shop", { body: scan });
  expect(expectError(chosen, 400, "without a choice").extra.problems).toContainEqual({
    in: "body",
    path: "advanced_settings.storages.storages_properties[0].provision_type",
    problem: "is required",
  });
  const spec = { cpu_limit: 1, memory_limit: 512, cpu_request: 2, memory_request: 0 };
  const other = { ...scan, advanced_settings: { resource_spec: spec } };
  const above = await slipway.call("POST", "/openapi/quality/codescan?projectKey=shop", { body: other });
  expect(expectError(above, 400, "a request above its limit").extra.problems).toContainEqual({
    in: "body",
    path: "advanced_settings.resource_spec.cpu_request",
    problem: "must not be above cpu_limit",
  });
  const empty = await slipway.call("POST", "/openapi/system/registry");
  expect(expectError(empty, 400, "no body").extra.problems).toEqual([{ in: "body", path: "", problem: "is required" }]);
});
