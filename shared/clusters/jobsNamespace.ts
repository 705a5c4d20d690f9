import { config } from "../settings/config.ts";

/** Where the Jobs of job tasks run, on whatever cluster. */
export function jobsNamespace(): string {
  return config().SLIPWAY_JOBS_NAMESPACE;
}
