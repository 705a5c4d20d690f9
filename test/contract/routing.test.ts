import { request } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groups } from "../../functions/api/groups.ts";
import { placesOf } from "../../infra/aws/api/definition.ts";
import { type Gateway, startGateway } from "../../infra/local/gateway.ts";
import type { Routes } from "../../shared/http/route.ts";
import { createRouter, type Router } from "../../shared/http/router.ts";
import { declarations } from "../security/declarations.ts";
import { type Choice, chosenDeclaration, type Line } from "./chosenDeclaration.ts";

const lines: Line[] = declarations.map(({ route: { method, path } }) => ({ method, path }));
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Router of each group, as its function builds it, and one over all groups. */
const routers = new Map<string, Router>(groups.map(({ name, routes }) => [name, createRouter(routes)]));
const allRoutes: Routes = Object.fromEntries(groups.flatMap(({ routes }) => Object.entries(routes)));
const whole = createRouter(allRoutes);

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    port: 0,
    groups: groups.map(({ name, prefixes }) => ({
      prefixes,
      handle: async () => ({ statusCode: 200, headers: {}, body: name }),
    })),
  });
});

afterAll(() => gateway.close());

/** The group that the local gateway sends a path to; the path goes over the wire as it is. */
function groupOf(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: gateway.port, host: "127.0.0.1", path, method: "GET" }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject).end();
  });
}

/** The group that API Gateway sends a path to: the exact resource, else the `{proxy+}` of the deepest one on the way. */
function groupInAws(path: string): string | undefined {
  const segments = path.split("/").slice(1);
  return placesOf(groups)
    .filter((place) => place.segments.every((segment, at) => segments[at] === segment))
    .sort((a, b) => b.segments.length - a.segments.length)[0]?.group;
}

function choiceOf(router: Router, method: string, path: string): Choice {
  const match = router.match(method, path);
  if (match.found === "nothing") return "nothing";
  if (match.found === "otherMethods") return { otherMethods: match.allow };
  return { chosen: `${match.route.method} ${match.route.path}` };
}

const hexId = "0123456789abcdef01234567";
const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
const words = [...new Set(lines.flatMap(({ path }) => path.split("/")).filter((part) => /^\w/.test(part)))];

/** A value for a parameter: names, ids of every form, and every word that is fixed somewhere. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("production", "services", "service", "raw", "yaml", "detail", "variable") },
  { weight: 2, arbitrary: fc.constantFrom(...words) },
  { weight: 2, arbitrary: fc.constantFrom(hexId, uuid, "12", "dev", "constructor", "__proto__", "a.b", "%20", "%41") },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }).map((text) => encodeURIComponent(text)) },
);

/** A path that fits both, the values of parameters that meet a parameter left open; undefined when none can. */
function fitsBoth(a: Line, b: Line): ((values: string[]) => string) | undefined {
  const [ofA, ofB] = [a.path.slice(1).split("/"), b.path.slice(1).split("/")];
  if (ofA.length !== ofB.length) return undefined;
  const isOpen = (part = ""): boolean => part.startsWith(":");
  const clash = ofA.some((part, at) => !isOpen(part) && !isOpen(ofB[at]) && part !== ofB[at]);
  if (clash) return undefined;
  return (values) =>
    `/${ofA.map((part, at) => (isOpen(part) ? (isOpen(ofB[at]) ? values[at] : ofB[at]) : part)).join("/")}`;
}

const pairs = lines.flatMap((a, at) => lines.slice(at).flatMap((b) => fitsBoth(a, b) ?? []));
const somePath = fc
  .tuple(fc.constantFrom(...pairs), fc.array(value, { minLength: 10, maxLength: 10 }))
  .map(([fill, values]) => fill(values));

describe("routing", () => {
  test("for every pair of declarations, paths that fit both reach the declaration of the rule", () => {
    const everywhere = ["production", "services", "dev", hexId, uuid, "12", "%70roduction"];
    // Many pairs lead to the same path.
    const paths = new Set(
      pairs.flatMap((fill) => everywhere.map((one) => fill(Array.from({ length: 10 }, () => one)))),
    );
    for (const path of paths)
      for (const method of methods) expect(choiceOf(whole, method, path), path).toEqual(chosen(method, path));
  });

  test("for any path, the rule, the router over all groups and the router of its group choose the same", () => {
    fc.assert(
      fc.property(somePath, fc.constantFrom(...methods), (path, method) => {
        const byRule = chosen(method, path);
        expect(choiceOf(whole, method, path)).toEqual(byRule);
        const router = routers.get(groupInAws(path) ?? "");
        const inGroup = router && choiceOf(router, method, path);
        if (byRule !== "nothing" && "chosen" in byRule) expect(inGroup).toEqual(byRule);
        else expect(inGroup).not.toHaveProperty("chosen");
      }),
      { numRuns: 3000 },
    );
  });

  test("every declaration is found in its own group and in no other", () => {
    for (const { group, id, route } of declarations) {
      const path = exampleOf(route.path);
      for (const [name, router] of routers) {
        const match = router.match(route.method, path);
        if (name === group) expect(match, path).toMatchObject({ found: "route", id });
        else expect(match.found === "route" && match.route === route, `${path} in ${name}`).toBe(false);
      }
    }
  });

  test("the local gateway and API Gateway send every path to the same group", async () => {
    await fc.assert(
      fc.asyncProperty(somePath, async (path) => {
        expect(await groupOf(path)).toBe(groupInAws(path));
      }),
      { numRuns: 500 },
    );
    for (const { group, route } of declarations) {
      expect(await groupOf(exampleOf(route.path)), route.path).toBe(group);
      expect(await groupOf(`${exampleOf(route.path)}/`), `${route.path}/`).toBe(group);
    }
  });

  test("paths that climb, hide a slash or cannot be decoded reach nothing", async () => {
    const attacks = ["..", ".", "%2e%2e", "%2E%2e", ".%2e", "%2e", "%2F", "a%2fb", "%", "%zz", "%c0%af", "%ff"];
    const paths = declarations.flatMap(({ route }) => {
      const parts = exampleOf(route.path).slice(1).split("/");
      return attacks.flatMap((attack) => [
        ...parts.map((_, at) => `/${parts.with(at, attack).join("/")}`),
        `/${[...parts.slice(0, -1), attack, parts.at(-1)].join("/")}`,
      ]);
    });
    expect(paths.length).toBeGreaterThan(1000);
    const all = [whole, ...routers.values()];
    expect(paths.filter((path) => all.some((router) => router.match("GET", path).found !== "nothing"))).toEqual([]);
  });

  test("empty segments collapse, wherever they stand and however many there are", async () => {
    await fc.assert(
      fc.asyncProperty(somePath, fc.array(fc.nat(3), { minLength: 20, maxLength: 20 }), async (path, counts) => {
        let at = 0;
        const stretched = `${path.replaceAll("/", () => "/".repeat(1 + (counts[at++] ?? 0)))}${"/".repeat(counts[at] ?? 0)}`;
        for (const method of methods) {
          expect(choiceOf(whole, method, stretched), stretched).toEqual(choiceOf(whole, method, path));
          expect(chosen(method, stretched), stretched).toEqual(chosen(method, path));
        }
        expect(await groupOf(stretched), stretched).toBe(groupInAws(path));
      }),
      { numRuns: 300 },
    );
  });

  test("a path is decoded once, so that what is encoded twice stays a name", () => {
    const match = whole.match("GET", "/openapi/service/yaml/%252e%252e");
    expect(match).toMatchObject({ found: "route", id: "getTestService", params: { serviceName: "%2e%2e" } });
  });

  test("a very long path is answered at once", () => {
    const startedAt = performance.now();
    expect(whole.match("GET", `/openapi/${"a/".repeat(100_000)}b`).found).toBe("nothing");
    expect(whole.match("GET", `/openapi/service/yaml/${"x".repeat(1_000_000)}`).found).toBe("route");
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  test("`production` is always the kind, never the name of a test environment or service", () => {
    const chosenIn = (method: string, path: string) => choiceOf(whole, method, path);
    expect(chosenIn("PUT", "/openapi/environments/production/variable")).toEqual({
      chosen: "PUT /openapi/environments/production/:envName",
    });
    expect(chosenIn("GET", "/openapi/environments/production")).toEqual({
      chosen: "GET /openapi/environments/production",
    });
    expect(chosenIn("DELETE", "/openapi/environments/production")).toEqual({ otherMethods: ["GET", "POST"] });
    expect(chosenIn("GET", "/openapi/service/yaml/production/labels")).toEqual({
      chosen: "GET /openapi/service/yaml/production/:serviceName",
    });
    expect(chosenIn("GET", "/openapi/service/yaml/production")).toBe("nothing");
    expect(chosenIn("GET", "/openapi/environments/%70roduction/services/web")).toBe("nothing");
  });
});

function chosen(method: string, path: string): Choice {
  return chosenDeclaration(lines, method, path);
}

/** A path of the declaration whose parameters have the form that they ask for. */
function exampleOf(path: string): string {
  const forms: Record<string, string> = { hex: hexId, uuid, int: "12" };
  return path.replace(/:[A-Za-z]+(?:\(([a-z]+)\))?/g, (_, form?: string) => (form && forms[form]) ?? "example");
}
