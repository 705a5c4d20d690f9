import { describe, expect, it } from "vitest";
import {
  checkVariable,
  duplicateKey,
  mergeExtracted,
  normaliseVariable,
  type ServiceVariable,
} from "../../../../shared/manifest/variables/serviceVariable.ts";
import { templateData, VariableError } from "../../../../shared/manifest/variables/templateData.ts";

function variable(type: ServiceVariable["type"], value: unknown, options: string[] = []): ServiceVariable {
  return { key: "k", type, value, options, desc: "" };
}

describe("a variable's value fits its type (contract P 12.2)", () => {
  it.each([
    ["bool", true],
    ["bool", "false"],
    ["string", "x"],
    ["string", 3],
    ["string", false],
    ["string", null],
    ["yaml", "a: 1\nb: [1, 2]"],
    ["yaml", { a: [1] }],
    ["yaml", [1]],
    ["yaml", ""],
  ] as const)("%s accepts %j", (type, value) => {
    expect(checkVariable(variable(type, value))).toBeUndefined();
  });

  it.each([
    ["bool", "yes", "invaild value for boolean"],
    ["bool", 1, "invaild value for boolean"],
    ["enum", "c", "invaild value for enum"],
    ["enum", null, "invaild value for enum"],
    ["string", { a: 1 }, "use type yaml"],
    ["string", [1], "use type yaml"],
    ["yaml", 5, "must be YAML text"],
    ["yaml", "a: [", "is not YAML"],
    ["yaml", "a: 1\na: 2", "is not YAML"],
    ["yaml", "a: 1\n---\nb: 2", "is not YAML"],
  ] as const)("%s refuses %j", (type, value, text) => {
    expect(checkVariable(variable(type, value, ["a", "b"]))).toContain(text);
  });

  it("compares an enum by its text", () => {
    expect(checkVariable(variable("enum", 3, ["3", "4"]))).toBeUndefined();
    expect(checkVariable(variable("enum", true, ["true"]))).toBeUndefined();
  });

  it("refuses an alias bomb in a yaml value", () => {
    const bomb = Array.from({ length: 9 }, (_, at) => `l${at}: &l${at} [${Array(9).fill(at ? `*l${at - 1}` : "x")}]`);
    expect(checkVariable(variable("yaml", bomb.join("\n")))).toContain(
      "aliases of the document add more than 10000 values",
    );
  });

  it("refuses an unknown type and an empty key", () => {
    const unknown: unknown = { key: "k", type: "int", value: 1, options: [], desc: "" };
    expect(checkVariable(unknown as ServiceVariable)).toContain("must be one of bool, string, enum, yaml");
    expect(checkVariable({ ...variable("string", ""), key: "" })).toBe("a variable needs a key");
  });
});

describe("a variable is stored in one form", () => {
  it("keeps bool as a boolean, yaml as text and scalars as they are", () => {
    expect(normaliseVariable(variable("bool", "true")).value).toBe(true);
    expect(normaliseVariable(variable("yaml", { a: [1, "yes"] })).value).toBe("a:\n  - 1\n  - 'yes'\n");
    expect(normaliseVariable(variable("string", 3)).value).toBe(3);
    expect(normaliseVariable(variable("string", undefined)).value).toBe("");
  });

  it("keeps the caller's order and adds what only the YAML has", () => {
    const given = ["b", "a"].map((key) => ({ ...variable("string", "given"), key }));
    const extracted = ["c", "a", "d"].map((key) => ({ ...variable("string", ""), key }));
    expect(mergeExtracted(given, extracted).map(({ key, value }) => `${key}=${value}`)).toEqual([
      "b=given",
      "a=given",
      "c=",
      "d=",
    ]);
  });

  it("finds a key that stands twice", () => {
    expect(duplicateKey([{ key: "a" }, { key: "b" }, { key: "a" }])).toBe("a");
    expect(duplicateKey([{ key: "a" }, { key: "b" }])).toBeUndefined();
  });
});

describe("what a template sees of variables", () => {
  it("is typed", () => {
    const data = templateData([
      { ...variable("bool", "false"), key: "flag" },
      { ...variable("yaml", "a: 1\nb: yes"), key: "tree" },
      { ...variable("string", "x\r\ny"), key: "text" },
      { ...variable("string", "p"), key: "__proto__" },
    ]);
    expect(Object.entries(data)).toEqual([
      ["flag", false],
      ["tree", { a: 1, b: true }],
      ["text", "x\ny"],
      ["__proto__", "p"],
    ]);
  });

  it("names every variable that does not fit", () => {
    const broken = [
      { ...variable("bool", "x"), key: "a" },
      { ...variable("enum", "x"), key: "b" },
    ];
    expect(() => templateData(broken)).toThrow(VariableError);
    expect(() => templateData(broken)).toThrow(/variable a.*variable b/);
  });
});
