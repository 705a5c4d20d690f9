import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { declaredDocument } from "../../../../functions/api/meta/declaredDocument.ts";
import { toOpenApi30 } from "../../../../shared/http/document/toOpenApi30.ts";

const schemaOf = (schema: object) => {
  const { components } = toOpenApi30({ components: { schemas: { one: schema } } }) as unknown as {
    components: { schemas: { one: object } };
  };
  return components.schemas.one;
};

test("the API document as OpenAPI 3.0 is valid, and has every operation and component", async () => {
  const document = declaredDocument();
  const rendition = toOpenApi30(document) as { openapi: string; paths: object; components: { schemas: object } };
  const validator = new Validator();
  expect(await validator.validate(structuredClone(rendition))).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.0");
  expect(Object.keys(rendition.paths)).toEqual(Object.keys(document.paths ?? {}));
  expect(Object.keys(rendition.components.schemas)).toEqual(Object.keys(document.components?.schemas ?? {}));
  expect(JSON.stringify(rendition)).not.toMatch(/"type":\[|"type":"null"|"const":|"exclusiveM\w+":\d/);
});

describe("what OpenAPI 3.0 does not have", () => {
  test.each([
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
    [{ anyOf: [{ $ref: "#/a" }, { type: "null" }] }, { allOf: [{ $ref: "#/a" }], nullable: true }],
    [
      { type: "object", properties: { env_name: { type: "string" }, envName: { type: "string" } } },
      {
        ...{ type: "object" },
        properties: { env_name: { type: "string" }, envName: { type: "string", "x-go-name": "EnvNameAlias" } },
      },
    ],
    [{ type: ["integer", "null"] }, { type: "integer", nullable: true }],
    [{ type: ["integer", "string"] }, { anyOf: [{ type: "integer" }, { type: "string" }] }],
    [
      { type: "string", const: "ok" },
      { type: "string", enum: ["ok"] },
    ],
    [
      { type: "number", exclusiveMinimum: 0 },
      { type: "number", minimum: 0, exclusiveMinimum: true },
    ],
    [{ type: "object", propertyNames: { type: "string" } }, { type: "object" }],
    [
      { $ref: "#/a", description: "x" },
      { description: "x", allOf: [{ $ref: "#/a" }] },
    ],
    [
      { type: "object", example: { type: ["a", "null"], const: 1 } },
      { type: "object", example: { type: ["a", "null"], const: 1 } },
    ],
    [
      { type: "object", properties: { type: { const: "a" }, const: { type: "string" } } },
      { type: "object", properties: { type: { enum: ["a"] }, const: { type: "string" } } },
    ],
  ])("%j becomes %j", (given, expected) => expect(schemaOf(given)).toEqual(expected));
});
