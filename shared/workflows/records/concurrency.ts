import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { overwrite } from "../../base/store/writes.ts";

/** How much may run at once in the whole installation (decisions 7.2). */
export interface Concurrency {
  /** Workflow tasks that run at once. */
  workflowConcurrency: number;
  /** Jobs of one parallel stage that run at once. */
  buildConcurrency: number;
}

const atFirst: Concurrency = { workflowConcurrency: 50, buildConcurrency: 10 };

export async function readConcurrency(): Promise<Concurrency> {
  const stored = await table().get<Concurrency>(keys.concurrencySettings());
  if (stored === undefined) return atFirst;
  return { workflowConcurrency: stored.workflowConcurrency, buildConcurrency: stored.buildConcurrency };
}

/** The last who sets them decides. */
export async function setConcurrency({ workflowConcurrency, buildConcurrency }: Concurrency): Promise<void> {
  const settings = { workflowConcurrency, buildConcurrency };
  await table().write(overwrite({ ...settings, ...keys.concurrencySettings(), type: "concurrency-settings" }));
}
