import { startExecution } from "../base/aws/states/stateMachines.ts";
import { config } from "../base/settings/config.ts";
import type { VersionRecord } from "./store/versions.ts";

export const executionName = ({ versionId, attempt }: VersionRecord): string => `${versionId}-${attempt}`;

/** Starts the execution of a version that is in the store; calling it again starts nothing twice (decisions 14.1). */
export async function startVersion(version: VersionRecord): Promise<void> {
  const { versionId, attempt } = version;
  await startExecution(config().SLIPWAY_DELIVERY_VERSION_ARN, executionName(version), { versionId, attempt });
}
