import { describe, expect, it } from "vitest";
import {
  type EnvironmentVariable,
  relateService,
  settleVariables,
  UnknownGlobalError,
} from "../../../../shared/manifest/variables/environmentVariables.ts";
import type { ServiceVariable } from "../../../../shared/manifest/variables/serviceVariable.ts";

function base(key: string, value: unknown, type: ServiceVariable["type"] = "string"): ServiceVariable {
  return { key, value, type, options: [], desc: `${key} of the revision` };
}

function kept(key: string, value: unknown, useGlobalVariable = false): EnvironmentVariable {
  return { ...base(key, value), desc: "old", useGlobalVariable };
}

describe("values in force in an environment (contract P 12.3)", () => {
  const layers = { revision: [base("a", "default")], environment: [], globals: [] };

  it("takes the revision's default, then the environment's value, then the request's", () => {
    const value = (more: object) => settleVariables({ ...layers, ...more })[0]?.value;
    expect(value({})).toBe("default");
    expect(value({ environment: [kept("a", "kept")] })).toBe("kept");
    expect(value({ environment: [kept("a", "kept")], sent: [{ key: "a", value: "sent" }] })).toBe("sent");
    expect(value({ sent: [{ key: "a", value: "" }] })).toBe("");
  });

  it("takes the global variable over everything where the flag says so, with its type and description", () => {
    const globals = [{ ...base("a", "g", "enum"), options: ["g"], desc: "global" }];
    const sent = [{ key: "a", value: "sent", useGlobalVariable: true }];
    expect(settleVariables({ ...layers, environment: [kept("a", "kept")], globals, sent })).toEqual([
      { key: "a", value: "g", type: "enum", options: ["g"], desc: "global", useGlobalVariable: true },
    ]);
  });

  it("leaves a global variable of the same name alone without the flag", () => {
    expect(settleVariables({ ...layers, globals: [base("a", "g")] })[0]?.value).toBe("default");
  });

  it("keeps the flag of keys that are not sent, and of those sent without it", () => {
    const environment = [kept("a", "old global", true)];
    const globals = [base("a", "g")];
    expect(settleVariables({ ...layers, environment, globals })[0]?.useGlobalVariable).toBe(true);
    expect(settleVariables({ ...layers, environment, globals, sent: [{ key: "a", value: "x" }] })[0]?.value).toBe("g");
    const off = [{ key: "a", value: "x", useGlobalVariable: false }];
    expect(settleVariables({ ...layers, environment, globals, sent: off })[0]).toMatchObject({
      value: "x",
      useGlobalVariable: false,
    });
  });

  it("has exactly the revision's keys, in its order, with its types and descriptions", () => {
    const revision = [base("b", "1"), base("c", true, "bool"), base("a", "2")];
    const environment = [kept("a", "kept"), kept("gone", "x"), kept("c", "was text")];
    expect(settleVariables({ revision, environment, globals: [], sent: [{ key: "unknown", value: 1 }] })).toEqual([
      { ...base("b", "1"), useGlobalVariable: false },
      { ...base("c", true, "bool"), useGlobalVariable: false },
      { ...base("a", "kept"), useGlobalVariable: false },
    ]);
  });

  it("resets a flag without such a global variable, or refuses it", () => {
    const sent = [{ key: "a", value: "x", useGlobalVariable: true }];
    expect(settleVariables({ ...layers, sent })[0]).toMatchObject({ value: "x", useGlobalVariable: false });
    expect(() => settleVariables({ ...layers, sent, unknownGlobal: "refuse" })).toThrow(UnknownGlobalError);
  });

  it("keeps the services of a global variable in step with the flags", () => {
    const globals = [
      { ...base("a", ""), relatedServices: ["other"] },
      { ...base("b", ""), relatedServices: ["web", "other"] },
    ];
    expect(relateService(globals, "web", [kept("a", "", true)]).map(({ relatedServices }) => relatedServices)).toEqual([
      ["other", "web"],
      ["other"],
    ]);
  });
});
