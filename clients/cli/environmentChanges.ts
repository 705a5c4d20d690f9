import { type components, taken } from "@slipway/client";
import type { Place } from "./environment.ts";
import type { Session } from "./session.ts";

export type PreviewObject = components["schemas"]["PreviewReport"]["objects"][number];

export type Change = "update" | "add" | "remove";

export interface Changes {
  preview(change: Change, services: readonly string[]): Promise<PreviewObject[]>;
  carryOut(change: Change, services: readonly string[]): Promise<void>;
}

/** The changes of the services of a test environment, as previews and for real. */
export function environmentChanges({ slipway }: Session, { project, env }: Place): Changes {
  const call = (change: Change, services: readonly string[], isPreview: boolean) => {
    const query = { projectKey: project, ...(isPreview && { dryRun: "true" as const }) };
    const service_list = services.map((service_name) => ({ service_name }));
    if (change === "update")
      return slipway.PUT("/openapi/environments/{envName}/services", {
        params: { path: { envName: env }, query },
        body: { service_list },
      });
    if (change === "add") {
      const body = { env_key: env, service_list };
      return slipway.POST("/openapi/environments/service/yaml", { params: { query }, body });
    }
    const body = { env_key: env, service_names: [...services] };
    return slipway.DELETE("/openapi/environments/service/yaml", { params: { query }, body });
  };
  return {
    preview: async (change, services) => {
      if (services.length === 0) return [];
      const answer = await taken(call(change, services, true));
      return "objects" in answer ? answer.objects : [];
    },
    carryOut: async (change, services) => {
      await call(change, services, false);
    },
  };
}
