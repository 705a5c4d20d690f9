import { isJobType } from "../definition/jobKinds.ts";
import { failed, immediate, type JobRunner } from "./runner.ts";

/** Kinds that are stored and returned untouched fail with a sentence when they run (contract W 5). */
const notRun: JobRunner = immediate(async ({ plan }) => failed(`jobs of type ${plan.type} cannot be run here`));

/**
 * How jobs of a type run: the `runner.ts` in the folder of its kind, loaded when it is needed. Apart from the planners: what
 * starts tasks reaches no cluster.
 */
export async function runnerOf(type: string): Promise<JobRunner> {
  if (!isJobType(type)) return notRun;
  const { runner }: { runner: JobRunner } = await import(`./${type}/runner.ts`);
  return runner;
}
