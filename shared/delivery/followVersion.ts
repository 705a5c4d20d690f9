import { executionStatus, startExecution } from "../aws/states/stateMachines.ts";
import { config } from "../settings/config.ts";
import { nowSeconds } from "../store/ids.ts";
import { table } from "../store/theTable.ts";
import { unlessLost } from "../store/unlessLost.ts";
import { openStatuses } from "./rules/version.ts";
import {
  endVersion,
  findVersion,
  isBeingRemoved,
  removeVersionParts,
  setAttempt,
  type VersionRecord,
} from "./store/versions.ts";

/** Beyond its time a version that nothing ends is ended here. */
const overdueSeconds = 600;

const executionName = ({ versionId, attempt }: VersionRecord): string => `${versionId}-${attempt}`;

/** Starts the execution of a version that stands in the store; calling it again starts nothing twice (decisions 14.1). */
export async function startVersion(version: VersionRecord): Promise<void> {
  const { versionId, attempt } = version;
  await startExecution(config().SLIPWAY_DELIVERY_VERSION_ARN, executionName(version), { versionId, attempt });
}

/** Goes on with a version that its request or its execution left behind, or with its removal. */
export async function followVersion(versionId: string): Promise<void> {
  const version = await findVersion(versionId);
  if (version === undefined) {
    if (await isBeingRemoved(versionId)) await removeVersionParts(versionId);
    return;
  }
  if (!openStatuses.includes(version.status)) return;
  if (version.roundStartedAt + config().SLIPWAY_COPY_WHOLE_SECONDS + overdueSeconds <= nowSeconds()) {
    await unlessLost(table().write(endVersion(version, { status: "failed", error: "timeout" })));
    return;
  }
  const status = await executionStatus(config().SLIPWAY_DELIVERY_VERSION_ARN, executionName(version));
  if (status === "RUNNING") return;
  if (status === undefined) return startVersion(version);
  const next = { ...version, attempt: version.attempt + 1 };
  if (await unlessLost(table().write(setAttempt(version, next.attempt)))) await startVersion(next);
}
