import type { ProjectAction } from "../../../shared/access/identity/rules/actions.ts";
import type { Permission } from "../../../shared/access/identity/rules/permission.ts";
import type { RawRequest } from "../../../shared/http/route.ts";

export const tag = "Workflows";
export const member = { kind: "member" } as const;

/** The verb in the project, or a grant on the named workflow by a collaboration mode (contract I 13.4). */
export function verb(...verbs: ProjectAction[]): Permission {
  return { kind: "verb", verbs, collaboration: "workflow" };
}

export function bodyText(field: string): (request: RawRequest) => string {
  return ({ body }) => {
    const text = body[field];
    return typeof text === "string" ? text : "";
  };
}
