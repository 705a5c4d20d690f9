import { executionStatus } from "../aws/states/stateMachines.ts";
import { config } from "../settings/config.ts";
import { nowSeconds } from "../store/ids.ts";
import { table } from "../store/table.ts";
import { tryWrite } from "../store/tryWrite.ts";
import { openStatuses } from "./rules/version.ts";
import { executionName, startVersion } from "./startVersion.ts";
import { endVersion, findVersion, isBeingRemoved, removeVersionParts, setAttempt } from "./store/versions.ts";

/** Beyond its time a version that nothing ends is ended here. */
const overdueSeconds = 600;

/** Goes on with a version that its request or its execution left behind, or with its removal. */
export async function followVersion(versionId: string): Promise<void> {
  const version = await findVersion(versionId);
  if (version === undefined) {
    if (await isBeingRemoved(versionId)) await removeVersionParts(versionId);
    return;
  }
  if (!openStatuses.includes(version.status)) return;
  if (version.roundStartedAt + config().SLIPWAY_COPY_WHOLE_SECONDS + overdueSeconds <= nowSeconds()) {
    await tryWrite(table().write(endVersion(version, { status: "failed", error: "timeout" })));
    return;
  }
  const status = await executionStatus(config().SLIPWAY_DELIVERY_VERSION_ARN, executionName(version));
  if (status === "RUNNING") return;
  if (status === undefined) return startVersion(version);
  const next = { ...version, attempt: version.attempt + 1 };
  if (await tryWrite(table().write(setAttempt(version, next.attempt)))) await startVersion(next);
}
