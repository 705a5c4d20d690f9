import type { ChangeEvent } from "../../access/events/store/changeEvents.ts";
import { mayReadEnvironment } from "../../access/identity/rules/mayReadEnvironment.ts";
import { type Permission, refusal, type Scope } from "../../access/identity/rules/permission.ts";
import type { Caller } from "../exchange.ts";
import { mayReadTask } from "../mayReadTask.ts";

const readsPlans: Permission = { kind: "systemVerb", verb: "get_release_plan" };

/** Whether a caller may read what an event is about. */
export function mayHear(caller: Caller, { kind, projectKey, key, production = false }: ChangeEvent): boolean {
  const mayRead = (permission: Permission, scope: Scope) =>
    refusal({ permission, mutates: false }, caller, scope) === undefined;
  switch (kind) {
    case "task":
      return mayRead(mayReadTask, { projectKey, workflow: key });
    case "environment":
      return mayReadEnvironment(caller, projectKey, { envKey: key, production });
    case "release_plan":
      return mayRead(readsPlans, {});
  }
}
