import type { EnvironmentRecord } from "../store/environments.ts";

/** Whether an environment is a base that calls are routed in. */
export function isRouting({ share, status }: Pick<EnvironmentRecord, "share" | "status">): boolean {
  return (share === "enabling" || share === "enabled") && status !== "deleting";
}
