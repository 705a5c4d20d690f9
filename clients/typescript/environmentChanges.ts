import type { Place } from "./environments.ts";
import type { components } from "./generated/api.ts";
import { type Slipway, taken } from "./index.ts";

type PreviewReport = components["schemas"]["PreviewReport"];
export type PreviewObject = PreviewReport["objects"][number];

export type Change = "update" | "add" | "remove";

export interface Changes {
  preview(change: Change, services: readonly string[]): Promise<PreviewObject[]>;
  carryOut(change: Change, services: readonly string[]): Promise<void>;
}

/** The changes of the services of a test environment, as previews and for real. */
export function environmentChanges(slipway: Slipway, { project, env }: Pick<Place, "project" | "env">): Changes {
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
      return objectsOf(await taken(call(change, services, true)));
    },
    carryOut: async (change, services) => {
      await call(change, services, false);
    },
  };
}

/** The declared answer of a change that takes `dryRun`: it was asked for, so it is a preview. */
export type Preview = Pick<PreviewReport, "objects"> | { message: string };

export function objectsOf(preview: Preview): PreviewObject[] {
  return "objects" in preview ? preview.objects : [];
}
