import type { components } from "./generated/api.ts";
import { type Slipway, taken } from "./index.ts";

export type EnvironmentDetail = components["schemas"]["EnvironmentDetail"];

/** An environment as people name it. */
export interface Place {
  project: string;
  env: string;
  production: boolean;
}

/** Test and production environments answer by paths of the same form. */
export function environmentDetail(slipway: Slipway, { project, env, production }: Place): Promise<EnvironmentDetail> {
  const params = { path: { envName: env }, query: { projectKey: project } };
  return production
    ? taken(slipway.GET("/openapi/environments/production/{envName}", { params }))
    : taken(slipway.GET("/openapi/environments/{envName}", { params }));
}

const busy = new Set(["creating", "updating", "deleting", "sleeping", "waking"]);

/** Whether a change is under way, so that another would be refused. */
export const isBusy = ({ stored_status }: Pick<EnvironmentDetail, "stored_status">): boolean => busy.has(stored_status);
