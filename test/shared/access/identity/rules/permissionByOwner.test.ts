import { describe, expect, test } from "vitest";
import { type Grants, noGrants } from "../../../../../shared/access/identity/rules/grants.ts";
import { refusal } from "../../../../../shared/access/identity/rules/permission.ts";
import { qualityKey } from "../../../../../shared/base/common/ownerKey.ts";
import { mayReadTask } from "../../../../../shared/http/mayReadTask.ts";

function holding(verb: string): Grants {
  return { ...noGrants, projects: new Map([["shop", { admin: false, verbs: new Set([verb]) }]]) };
}

const keys = {
  get_workflow: "zadig-testing-unit",
  get_test: qualityKey("test", "shop", "unit"),
  get_scan: qualityKey("scan", "shop", "a name: with a colon"),
};

describe("who may see a task", () => {
  test.each(Object.entries(keys))("%s lets see tasks of %s and no others", (verb, key) => {
    for (const [wanted, workflow] of Object.entries(keys)) {
      const refused = refusal(
        { permission: mayReadTask, mutates: false },
        { uid: "u", grants: holding(verb) },
        { projectKey: "shop", workflow },
      );
      expect(refused).toBe(workflow === key ? undefined : `requires ${wanted} in project shop`);
    }
  });
});
