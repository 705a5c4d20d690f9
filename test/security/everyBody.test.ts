import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import { groups } from "../../functions/api/groups.ts";
import { findUserByAccount } from "../../shared/access/identity/store/users.ts";
import { openApiDocument } from "../../shared/http/document/openApiDocument.ts";
import { maxBodyBytes } from "../../shared/http/pipeline/decodeBody.ts";
import type { Route } from "../../shared/http/route.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { declarations, missingIs500 } from "./declarations.ts";
import { expectError } from "./expectError.ts";
import { expectedPermissions } from "./expectedPermissions.ts";
import { harmlessRequest, pathOf, type TestRequest } from "./requests.ts";
import { storedPerson } from "./storedPerson.ts";

interface Schema {
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

const project = "alpha";
let slipway: Slipway;
/** Lets everything through but what only the user itself may do. */
let strangerToken: string;
/** Of the administrator who asks: what only the user itself may do is asked for the own record. */
let ownUid: string;

beforeAll(async () => {
  slipway = await startSlipway();
  strangerToken = (await storedPerson("a stranger")).token;
  ownUid = (await findUserByAccount("system", "admin"))?.uid ?? "";
  const body = { project_name: project, project_key: project, project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

const document = JSON.parse(JSON.stringify(openApiDocument(groups.map(({ routes }) => routes)))) as {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
};

const taking = declarations
  .filter(({ route }) => route.body !== undefined)
  .map((declaration) => {
    const [method = "", template = ""] = declaration.name.split(" ");
    const operation = document.paths[template]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content["application/json"]?.schema ?? {};
    return { ...declaration, expected: expectedPermissions[declaration.name] ?? { allow: "nobody" }, schema };
  });
type Taking = (typeof taking)[number];

/** Not those whose caller is known by a signature or a secret: what has none is refused, whatever stands in it. */
const unsigned = taking.filter(({ route }) => route.permission.kind !== "public" || !route.path.endsWith("webhook"));

const all = declarations.map((declaration) => ({
  ...declaration,
  expected: expectedPermissions[declaration.name] ?? { allow: "nobody" },
}));
const mutations = all.filter(({ route }) => route.method !== "GET");

function request({ route, expected }: Pick<Taking, "route" | "expected">): TestRequest {
  return harmlessRequest(route, expected, { project, environment: "absent", uid: ownUid });
}

async function send(declaration: Taking, body: unknown, status: number) {
  const answer = await slipway.call(declaration.route.method, request(declaration).path, { body });
  return expectError(answer, status, declaration.name);
}

function shapeOf(route: Route): object {
  return (route.query as z.ZodObject).shape;
}

/** Fields of the body that the permission check reads; they are judged before all others. */
function scopeFields({ expected }: Taking): string[] {
  return [expected.project, expected.environment, expected.workflow]
    .flat()
    .flatMap((place) => (place?.startsWith("body ") ? [place.slice("body ".length)] : []));
}

function nested(levels: number): string {
  return `{"deep":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
}

function wrongFor({ type, anyOf }: Schema): unknown {
  const types = [type, ...(anyOf ?? []).map((one) => one.type)].filter((one) => one !== undefined);
  if (types.length === 0) return undefined;
  if (!types.includes("number") && !types.includes("integer")) return 12;
  return "twelve";
}

describe("every body", () => {
  test.each(unsigned)("$name: what is not JSON is 400 and says where it breaks", async (declaration) => {
    const ask = async (body: string): Promise<void> => {
      const { extra } = await send(declaration, body, 400);
      expect(extra.problems).toEqual([{ in: "body", path: "", problem: expect.stringContaining("is not JSON") }]);
    };
    await Promise.all(["{", "{'a': 1}", "\u0000", "undefined", '{"a":1}x'].map(ask));
  });

  test.each(unsigned)("$name: another kind of JSON than its own is 400", async (declaration) => {
    const others = [declaration.schema.type === "array" ? "{}" : "[]", "[{}]", '"text"', "12", "true", "null"];
    await Promise.all(others.map((body) => send(declaration, body, 400)));
  });

  test.each(taking)("$name: 65 levels are 400, 64 are read", async (declaration) => {
    const { description } = await send(declaration, nested(65), 400);
    expect(description).toContain("64 levels");
    const answer = await slipway.call(declaration.route.method, request(declaration).path, { body: nested(64) });
    expect(answer.text).not.toContain("levels");
  });

  test.each(taking)("$name: fields that are required and absent are all named at once", async (declaration) => {
    const { schema } = declaration;
    const given = scopeFields(declaration);
    const required = (schema.required ?? []).filter((field) => !given.includes(field));
    if (required.length === 0) return;
    const { extra } = await send(declaration, request(declaration).body ?? {}, 400);
    const named = extra.problems?.filter((problem) => problem.in === "body").map((problem) => problem.path) ?? [];
    expect(named).toEqual(expect.arrayContaining(required));
  });

  test.each(unsigned)("$name: a value of the wrong type is 400 naming its field, all at once", async (declaration) => {
    const given = scopeFields(declaration);
    const wrong = Object.entries(declaration.schema.properties ?? {})
      .filter(([field, schema]) => !given.includes(field) && wrongFor(schema) !== undefined)
      .map(([field, schema]) => [field, wrongFor(schema)] as const);
    const body = { ...request(declaration).body, ...Object.fromEntries(wrong) };
    const { extra } = await send(declaration, body, 400);
    const named = extra.problems?.filter((problem) => problem.in === "body").map((problem) => problem.path) ?? [];
    expect(named).toEqual(expect.arrayContaining(wrong.map(([field]) => field)));
    for (const field of given) {
      const scoped = await send(declaration, { ...request(declaration).body, [field]: 12 }, 400);
      expect(scoped.extra.problems).toEqual([expect.objectContaining({ in: "body", path: field })]);
    }
  });

  test.each(taking)("$name: names that objects have by themselves are ordinary", async (declaration) => {
    const body = '{"__proto__":{"admin":true},"constructor":{"prototype":1},"toString":1}';
    const answer = await slipway.call(declaration.route.method, request(declaration).path, { body });
    expect(answer.status, answer.text).toBeLessThan(missingIs500(declaration) ? 501 : 500);
  });
});

describe("every name in an address", () => {
  const long = ["x".repeat(3000), "€".repeat(800)];
  const parts = all.flatMap((declaration) => {
    const { route } = declaration;
    const names = [...route.path.matchAll(/:([A-Za-z]+)(?![A-Za-z(])/g)].map(([, name = ""]) => name);
    return names.length === 0 ? [] : [{ ...declaration, names }];
  });
  const queries = all.filter(({ route }) => Object.keys(shapeOf(route)).length > 0);

  test.each(parts)("$name: a part of the path that is too long is 400 naming it", async ({ names, ...declaration }) => {
    const { params, query, body } = request(declaration);
    for (const name of names)
      for (const value of long) {
        const path = pathOf(declaration.route.path, { ...params, [name]: value }, query);
        const { extra } = expectError(
          await slipway.call(declaration.route.method, path, { body }),
          400,
          `${declaration.name} ${name}`,
        );
        expect(extra.problems).toContainEqual(expect.objectContaining({ in: "path", path: name }));
      }
  });

  test.each(queries)("$name: whatever is too long in the query is no failure of ours", async (declaration) => {
    const { route } = declaration;
    const { params, query, body } = request(declaration);
    for (const name of Object.keys(shapeOf(route)))
      for (const value of long) {
        const answer = await slipway.call(route.method, pathOf(route.path, params, { ...query, [name]: value }), {
          body,
        });
        expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(500);
      }
  });
});

describe("every mutation", () => {
  const tooLarge = Buffer.from(`"${"x".repeat(maxBodyBytes - 1)}"`);

  /** By `node:http`, which sends bytes as they are: `fetch` copies them several times, and every mutation is sent these. */
  async function sendTooLarge(method: string, path: string, token: string | null): Promise<Answer> {
    const headers = {
      ...{ "content-type": "application/json", "content-length": tooLarge.length },
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const sent = httpRequest(slipway.runtime.url + path, { method, headers }).end(tooLarge);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const answer = await text(response);
    const answered = new Headers(response.headers as Record<string, string>);
    return { status: response.statusCode ?? 0, headers: answered, text: answer, json: JSON.parse(answer) };
  }

  test.each(mutations)("$name: a body over 5,000,000 bytes is 413", async (declaration) => {
    const token = declaration.expected.allow === "public" ? null : strangerToken;
    expect(tooLarge.length).toBe(maxBodyBytes + 1);
    const answer = await sendTooLarge(declaration.route.method, request(declaration).path, token);
    expectError(answer, 413, declaration.name);
  });

  test("5,000,000 bytes are read", async () => {
    const body = `"${"x".repeat(maxBodyBytes - 2)}"`;
    expectError(await slipway.call("POST", "/openapi/projects/project", { body }), 400, "a text");
  });
});

describe("every query", () => {
  test("names that objects have by themselves are ordinary names", async () => {
    const odd = "__proto__=1&__proto__=2&constructor=3&toString=4&hasOwnProperty=5";
    const ask = async ({ name, route, expected }: (typeof all)[number]): Promise<void> => {
      const { path, body } = request({ route, expected });
      const joined = `${path}${path.includes("?") ? "&" : "?"}${odd}`;
      const [plain, withOdd] = [
        await slipway.call(route.method, path, { body, token: strangerToken }),
        await slipway.call(route.method, joined, { body, token: strangerToken }),
      ];
      expect(withOdd.status, `${name}: ${withOdd.text}`).toBe(plain.status);
    };
    await Promise.all(all.filter(({ name }) => name !== "POST /api/v1/login").map(ask));
  });

  const scoped = declarations.flatMap((declaration) => {
    const expected = expectedPermissions[declaration.name] ?? { allow: "nobody" };
    const names = [[expected.project].flat()[0], expected.environment]
      .flat()
      .flatMap((place) => (place?.startsWith("query ") ? [place.slice("query ".length)] : []))
      .filter((name) => name !== "env_name");
    return names.length === 0 ? [] : [{ ...declaration, expected, names }];
  });

  test.each(scoped)("$name: what tells the scope twice is 400 and not half of it", async (declaration) => {
    for (const name of declaration.names) {
      const { path } = request(declaration);
      const answer = await slipway.call(declaration.route.method, `${path}&${name}=${project}`, {
        ...(declaration.route.body !== undefined && { body: request(declaration).body }),
      });
      const { description } = expectError(answer, 400, declaration.name);
      expect(description).toContain(name);
    }
  });

  test.each(scoped)("$name: names of 300 characters, of Unicode and of paths find nothing", async (declaration) => {
    const strange = ["x".repeat(300), "Ünïcødé", "../../admin", "__proto__", " ", "a\u0000b", "DEMO", "#"];
    const { query, body, path } = request(declaration);
    const ask = async (name: string, value: string): Promise<void> => {
      const search = new URLSearchParams({ ...query, [name]: value });
      const answer = await slipway.call(declaration.route.method, `${path.split("?")[0]}?${search}`, { body });
      expect([200, 400, missingIs500(declaration) ? 500 : 404], `${name}=${value}: ${answer.text}`).toContain(
        answer.status,
      );
    };
    await Promise.all(declaration.names.flatMap((name) => strange.map((value) => ask(name, value))));
  });
});
