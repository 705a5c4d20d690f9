import { describe, expect, test } from "vitest";
import { type Grants, noGrants } from "../../../../../shared/access/identity/rules/grants.ts";
import { type Permission, refusal, type Scope } from "../../../../../shared/access/identity/rules/permission.ts";

const reads: Permission = {
  kind: "verb",
  verbs: ["get_environment"],
  productionVerbs: ["get_production_environment"],
  collaboration: "environment",
};

function holding(...verbs: string[]): Grants {
  return { ...noGrants, projects: new Map([["shop", { admin: false, verbs: new Set(verbs) }]]) };
}

function decide(grants: Grants, scope: Partial<Scope>): string | undefined {
  return refusal(
    { permission: reads, mutates: false },
    { uid: "u", grants },
    { projectKey: "shop", environment: "dev", ...scope },
  );
}

describe("a permission that depends on the environment's kind", () => {
  test("asks for the verb of that kind and for no other", () => {
    expect(decide(holding("get_environment"), { production: false })).toBeUndefined();
    expect(decide(holding("get_production_environment"), { production: true })).toBeUndefined();
    expect(decide(holding("get_environment"), { production: true })).toBe(
      "requires get_production_environment in project shop",
    );
    expect(decide(holding("get_production_environment"), { production: false })).toBe(
      "requires get_environment in project shop",
    );
  });

  test("lets holders of either verb hear that an environment does not exist, and refuses all others", () => {
    expect(decide(holding("get_environment"), {})).toBeUndefined();
    expect(decide(holding("get_production_environment"), {})).toBeUndefined();
    expect(decide(holding("get_service"), {})).toBe(
      "requires get_environment or get_production_environment in project shop",
    );
  });

  test("is met by a grant on that environment alone, of the right kind", () => {
    const grant = {
      projectKey: "shop",
      resource: "environment",
      name: "dev",
      verbs: ["get_environment"],
      isCopy: false,
    } as const;
    const grants = { ...noGrants, collaborations: [grant] };
    expect(decide(grants, { production: false })).toBeUndefined();
    expect(decide(grants, { production: true })).toContain("get_production_environment");
    expect(decide(grants, { production: false, environment: "other" })).toContain("get_environment");
  });
});
