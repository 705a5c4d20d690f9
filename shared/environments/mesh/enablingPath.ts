import type { EnvironmentRecord } from "../store/environments.ts";

/** The call that makes an environment a base, for sentences. */
export function enablingPath({ envKey, production }: Pick<EnvironmentRecord, "envKey" | "production">): string {
  return `POST /openapi/environments/${production ? "production/" : ""}${envKey}/share/enable`;
}
