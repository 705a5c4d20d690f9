import type { ProjectAction } from "../../../shared/access/identity/rules/actions.ts";
import type { Permission } from "../../../shared/access/identity/rules/permission.ts";
import { type Audit, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { freezeAt } from "../../../shared/projects/freezes/rules/windows.ts";

export type Kind = "test" | "production";

export const tag = "Environments";
export const project = fromQuery("projectKey");
export const words = { test: "Test Environment", production: "Production Environment" } as const;
export const reads: Record<Kind, ProjectAction> = { test: "get_environment", production: "get_production_environment" };
export const configures: Record<Kind, ProjectAction> = {
  test: "config_environment",
  production: "config_production_environment",
};
export const deletes: Record<Kind, ProjectAction> = {
  test: "delete_environment",
  production: "delete_production_environment",
};

/** What the paths of one kind of environment begin with. */
export function basePath(kind: Kind): "/openapi/environments" | "/openapi/environments/production" {
  return kind === "test" ? "/openapi/environments" : "/openapi/environments/production";
}

/** Only production is ever frozen. */
export const freezes = { test: undefined, production: freezeAt } satisfies Record<Kind, unknown>;

/** Any of the verbs, or a grant on the named environment by a collaboration mode (contract I 13). */
export function verb(...verbs: ProjectAction[]): Permission {
  return { kind: "verb", verbs, collaboration: "environment" };
}

/** Words of an operation log about one environment (contract I 14). */
export function audit(
  method: string,
  kind: Kind,
  env: (request: RawRequest) => string,
  extra: Partial<Audit> = {},
): Audit {
  return {
    method,
    function: words[kind],
    scene: "environment",
    targets: (request) => [env(request)].filter((name) => name !== ""),
    detail: env,
    body: "json",
    ...extra,
  };
}

/** Words of an operation log about something inside an environment: `env:service:…`, without what was not named. */
export function inside(
  env: (request: RawRequest) => string,
  what: Pick<Audit, "method" | "function" | "body">,
  rest: (request: RawRequest) => unknown[],
): Audit {
  const parts = (request: RawRequest) => [env(request), ...rest(request)];
  return {
    ...what,
    scene: "environment",
    targets: (request) => [env(request)].filter((name) => name !== ""),
    detail: (request) =>
      parts(request)
        .filter((part) => typeof part === "string" && part !== "")
        .join(":"),
  };
}

/** Of a Helm project (contract P 6.1). */
export const helmEnvOfBody = ({ body }: RawRequest): string => {
  const name = body.env_name ?? body.env_key;
  return typeof name === "string" ? name : "";
};
export const envOfPath = ({ params }: RawRequest): string => params.envName ?? "";
export const envOfBody = ({ body, query }: RawRequest): string => {
  const name = body.env_key ?? query.env_name;
  return typeof name === "string" ? name : "";
};
