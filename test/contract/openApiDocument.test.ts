import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parameterTexts } from "../../shared/http/document/parameterTexts.ts";
import { permissionText } from "../../shared/http/document/permissionTable.ts";
import { tagTexts } from "../../shared/http/document/tagTexts.ts";
import { templateOf } from "../../shared/http/router.ts";
import { declarations } from "../security/declarations.ts";
import { explainChanges, outline, partsOf } from "./apiOutline.ts";
import { document, type OpenApi, type Operation, operationNamed } from "./document.ts";
import { documentWhenChanged } from "./reviewedDocument.ts";
import { specified } from "./specified.ts";

const operations = declarations.map(({ name, route }) => ({ name, route, operation: operationNamed(name) }));
const permissions = new Map(declarations.map(({ name, route }) => [name, permissionText(route.permission)]));

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
    // Under names of their own, so that each is compiled once and not for everything that refers to it.
    const named = (schema: object) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"component:')) as object;
    for (const [name, schema] of Object.entries(document.components.schemas))
      ajv.addSchema(named(schema), `component:${name}`);
    const schemas = operations.flatMap(({ operation }) => [
      ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
      ...Object.values(operation.responses).flatMap(({ content }) =>
        Object.values(content ?? {}).map(({ schema }) => schema),
      ),
      ...(operation.parameters ?? []).map(({ schema }) => schema),
    ]);
    expect(schemas.length).toBeGreaterThan(operations.length * 5);
    const distinct = new Set(schemas.map((schema) => JSON.stringify(schema)));
    for (const schema of distinct) expect(() => ajv.compile(named(JSON.parse(schema))), schema).not.toThrow();
    for (const name of Object.keys(document.components.schemas))
      expect(() => ajv.getSchema(`component:${name}`), name).not.toThrow();
  });

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

  test("is what was reviewed (npm run docs:api writes its outline)", async () => {
    const file = join(import.meta.dirname, "__snapshots__/openapi.txt");
    const parts = partsOf(document, permissions);
    const now = outline(parts);
    const reviewed = existsSync(file) ? readFileSync(file, "utf8") : "";
    const then = reviewed === now ? undefined : documentWhenChanged(file);
    const changes = explainChanges(reviewed, parts, then && partsOf(then, permissions));
    await expect(now, changes).toMatchFileSnapshot(file);
  });
});

describe("a change of the OpenAPI document", () => {
  const parts = partsOf(document, permissions);
  const reviewed = outline(parts);
  const listing = "GET /openapi/projects/project";

  function changed(change: (document: OpenApi) => void): string {
    const later = structuredClone(document);
    change(later);
    return explainChanges(reviewed, partsOf(later, permissions), parts);
  }

  test("is none as long as nothing differs", () => {
    expect(changed(() => undefined)).toBe("");
  });

  test("names the operation and the part, and shows what differs", () => {
    const text = changed(({ paths }) => {
      const parameter = paths["/openapi/projects/project"]?.get?.parameters?.[0];
      if (parameter !== undefined) parameter.schema = { type: "boolean" };
    });
    expect(text).toContain(`${listing}: parameters\n`);
    expect(text).toMatch(/^ {2}- +"type": "string",$/m);
    expect(text).toMatch(/^ {2}\+ +"type": "boolean"$/m);
  });

  test("is found in every part of an operation and in what operations share", () => {
    const found = changed((later) => {
      const { paths, components } = later;
      Object.assign(paths["/openapi/projects/project"]?.get ?? {}, { summary: "other", requestBody: { content: {} } });
      Object.assign(paths["/openapi/projects/project"]?.get?.responses["200"] ?? {}, { description: "other" });
      delete paths["/openapi/projects/project"]?.get?.responses["404"];
      delete paths["/openapi/projects/project"]?.get?.parameters;
      Object.assign(components.schemas.Error ?? {}, { description: "other" });
      later.openapi = "other";
      delete paths["/openapi/projects/project"]?.delete;
      paths["/other"] = { get: paths["/openapi.json"]?.get as Operation };
    });
    const names = found.match(/^\S.*/gm);
    expect(names).toEqual([
      "DELETE /openapi/projects/project: is gone",
      "document: content",
      expect.stringMatching(`^${listing}: no longer has parameters [0-9a-f]{8}$`),
      ...["errors", "about", "body", "answer 200"].map((part) => `${listing}: ${part}`),
      "GET /other: is new",
      "components/schemas/Error: content",
    ]);
  });

  test("of a permission is one too", () => {
    const other = partsOf(document, new Map([...permissions, [listing, "nobody"]]));
    expect(explainChanges(reviewed, other, parts)).toMatch(new RegExp(`^${listing}: permission\n[^]*\\+nobody`));
  });
});

describe("the texts of the OpenAPI document", () => {
  const parameters = operations.flatMap(({ name, operation }) =>
    (operation.parameters ?? []).map((parameter) => ({ ...parameter, of: name })),
  );

  test("say of every operation what it does, who may call it and what may go wrong", () => {
    expect(operations.length).toBeGreaterThan(450);
    const silent = operations.filter(
      ({ operation: { description = "" } }) => !/Who may call it: \S.*What may go wrong: \S/s.test(description),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test("say of every parameter what it means", () => {
    expect(parameters.length).toBeGreaterThan(900);
    expect(parameters.filter(({ description }) => !description).map(({ of, name }) => `${of}: ${name}`)).toEqual([]);
  });

  test("say of every heading what its operations are for, and of no other", () => {
    const { tags = [] } = document as { tags?: { name: string; description: string }[] };
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(new Set(tags.map(({ name }) => name))).toEqual(used);
    expect(tags.filter(({ description }) => description === "")).toEqual([]);
    expect(Object.keys(tagTexts).filter((name) => !used.has(name))).toEqual([]);
  });

  test("show an example of every body and answer that is not a file, which its schema takes", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "api", components: document.components });
    const wrong = operations.flatMap(({ name, operation, route }) => {
      const [answer] = Object.values(operation.responses[String(route.answerStatus ?? 200)]?.content ?? {});
      const [body] = Object.values(operation.requestBody?.content ?? {});
      const needsBody = operation.requestBody?.required === true && route.readBody === undefined;
      const shown = [...(route.responseType === "gzip" ? [] : [answer]), ...(needsBody ? [body] : [])];
      return shown.flatMap((media) => {
        if (media === undefined) return [];
        if (media.example === undefined) return [`${name} has no example`];
        const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"api#/'));
        return ajv.validate(schema, media.example) ? [] : [`${name}: ${ajv.errorsText()}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("show no secret and nothing of the machine that recorded them", () => {
    const text = readFileSync(new URL("../../functions/api/meta/examples.json", import.meta.url), "utf8");
    expect(text).not.toMatch(/PRIVATE KEY|slw_[^*]|sls_[^*]|127\.0\.0\.1:\d|\/tmp\//);
  });

  test("have none for a parameter that is not there", () => {
    const names = new Set(parameters.flatMap((parameter) => [parameter.name, `${parameter.in} ${parameter.name}`]));
    expect(Object.keys(parameterTexts).filter((name) => !names.has(name))).toEqual([]);
  });
});
