import { ConditionFailed, type Item, TransactionContended } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { mustHaveVersion } from "../store/writes.ts";
import { changeEnvironment, type EnvironmentRecord } from "./store/environments.ts";

/** An environment whose services became ready after its last change had failed is fine again, in lists too. */
export async function healEnvironment(environment: Item<EnvironmentRecord>): Promise<void> {
  const { updatedAt, version } = environment;
  try {
    await table().write(
      changeEnvironment(environment, { status: "success", error: "", updatedAt }, mustHaveVersion(version)),
    );
  } catch (error) {
    // Whoever changed it meanwhile knows more.
    if (!(error instanceof ConditionFailed || error instanceof TransactionContended)) throw error;
  }
}
