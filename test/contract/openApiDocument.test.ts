import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { templateOf } from "../../shared/http/router.ts";
import { declarations } from "../security/declarations.ts";
import { document, operationNamed } from "./document.ts";
import { specified } from "./specified.ts";

const operations = declarations.map(({ name, route }) => ({ name, route, operation: operationNamed(name) }));

describe("the OpenAPI document", () => {
  test("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...structuredClone(document) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  test("holds schemas that compile as JSON Schema 2020-12, with patterns that every engine reads", () => {
    const ajv = new Ajv2020({ strictTypes: false, strict: true, validateFormats: false, allowUnionTypes: true });
    ajv.addVocabulary(["components", "info", "openapi", "paths", "security", "servers"]);
    ajv.addSchema({ $id: "document", ...document });
    const schemas = operations.flatMap(({ operation }) => [
      ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
      ...Object.values(operation.responses).flatMap(({ content }) =>
        Object.values(content ?? {}).map(({ schema }) => schema),
      ),
      ...(operation.parameters ?? []).map(({ schema }) => schema),
    ]);
    expect(schemas.length).toBeGreaterThan(operations.length * 5);
    for (const schema of schemas) {
      const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
      expect(() => ajv.compile(pointed), JSON.stringify(schema)).not.toThrow();
    }
  }, 240_000);

  test("holds every declaration once, and with them all that the specification names", () => {
    const held = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(held.sort()).toEqual(declarations.map(({ name }) => name).sort());
    const shapeOf = (name: string) => name.replace(/:\w+|\{\w+\}/g, "{}");
    const shapes = new Set(held.map(shapeOf));
    expect(specified.filter((name) => !shapes.has(shapeOf(name)))).toEqual([]);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(operations)("$name documents the errors that every operation can give", ({ operation, route }) => {
    const common = ["400", "401", "403", "404", "405", "413", "500"];
    const mutation = ["409", "422"];
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining([
        String(route.answerStatus ?? 200),
        ...common,
        ...(route.method === "GET" || route.reads ? [] : mutation),
      ]),
    );
    for (const [status, { content }] of Object.entries(operation.responses))
      if (status !== String(route.answerStatus ?? 200))
        expect(content).toEqual({ "application/json": { schema: { $ref: "#/components/schemas/Error" } } });
  });

  test.each(operations)("$name says how it is called", ({ operation, route }) => {
    expect(operation.summary).not.toBe("");
    expect(operation.tags).toHaveLength(1);
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => name)).toEqual(
      [...templateOf(route.path).matchAll(/\{(\w+)\}/g)].map(([, n]) => n),
    );
    expect(inPath.every(({ required }) => required)).toBe(true);
    expect(operation.requestBody === undefined).toBe(route.body === undefined);
    const isOfPrograms = route.responseType === "events" || route.textFormat !== undefined;
    const streams = isOfPrograms ? [{ token: [] }, { tokenInQuery: [] }] : undefined;
    expect(operation.security).toEqual(route.permission.kind === "public" ? [] : streams);
    const [place, ...others] = [route.scope.project ?? []].flat();
    if (place?.in === "query" && others.length === 0)
      expect(operation.parameters).toContainEqual(
        expect.objectContaining({
          in: "query",
          name: place.name,
          ...(route.body === undefined && { required: true }),
        }),
      );
    // Query and body stand for each other, so neither is required.
    if (place?.in === "body")
      expect(operation.parameters).toContainEqual(expect.objectContaining({ in: "query", name: "projectKey" }));
    if (place !== undefined && place.in !== "path" && route.body !== undefined)
      expect(JSON.stringify([operation.parameters, operation.requestBody])).not.toMatch(
        new RegExp(`"name":"${place.name}","[^}]*"required":true|"required":\\[[^\\]]*"${place.name}"`),
      );
  });

  test("describes the error body with its five keys", () => {
    expect(document.components.schemas.Error).toMatchObject({
      type: "object",
      required: ["type", "code", "message", "description", "extra"],
    });
    expect(document.components.securitySchemes).toMatchObject({
      token: { type: "http", scheme: "bearer" },
      tokenInQuery: { type: "apiKey", in: "query", name: "token" },
    });
  });

  test("is what was reviewed", async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("__snapshots__/openapi.json");
  });
});
