import type { PlanJob } from "./plan.ts";

type Named = Pick<PlanJob, "name" | "dependsOn">;

/** @returns what is wrong with what jobs depend on, and at which of them; undefined when nothing is */
export function dependencyProblem(jobs: readonly Named[]): { at: number; problem: string } | undefined {
  const names = jobs.map(({ name }) => name);
  for (const [at, { dependsOn }] of jobs.entries())
    for (const other of dependsOn) {
      const count = names.filter((one) => one === other).length;
      if (count === 0) return { at, problem: `${other} is no job of the plan, which has ${names.join(", ")}` };
      if (count > 1) return { at, problem: `${other} names ${count} jobs of the plan; give them names of their own` };
    }
  // Only names that are one job's lead from job to job.
  for (const [at, { name }] of jobs.entries()) {
    const cycle = cycleFrom(name, jobs);
    if (cycle !== undefined) return { at, problem: `jobs wait for each other: ${cycle.join(" -> ")}` };
  }
  return undefined;
}

/** The names on a way that leads from a job back to itself. */
function cycleFrom(start: string, jobs: readonly Named[]): string[] | undefined {
  const dependsOn = new Map(jobs.map((job) => [job.name, job.dependsOn]));
  const seen = new Set<string>();
  const follow = (name: string, way: readonly string[]): string[] | undefined => {
    for (const next of dependsOn.get(name) ?? []) {
      if (next === start) return [...way, next];
      if (seen.size === seen.add(next).size) continue;
      const found = follow(next, [...way, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return follow(start, [start]);
}

/** Names of those jobs that one still waits for. */
export function awaited(job: PlanJob, jobs: readonly PlanJob[]): string[] {
  const isOver = (name: string) =>
    jobs.some((one) => one.name === name && (one.status === "done" || one.status === "skipped"));
  return job.dependsOn.filter((name) => !isOver(name));
}

/**
 * Workflow jobs that may start by themselves now, in the order of the plan: their dependencies are done or skipped, no
 * more run at once than the settings allow, and none after a failure where they say so.
 * @param limit jobs that run at once; 0: any number
 */
export function jobsToStart(
  jobs: readonly PlanJob[],
  { concurrency, stopOnFailure }: { concurrency: number; stopOnFailure: boolean },
): PlanJob[] {
  if (stopOnFailure && jobs.some(({ status }) => status === "failed")) return [];
  const ready = jobs.filter(
    (job) => job.type === "workflow" && job.status === "todo" && awaited(job, jobs).length === 0,
  );
  if (concurrency === 0) return ready;
  const running = jobs.filter(({ status }) => status === "running").length;
  return ready.slice(0, Math.max(concurrency - running, 0));
}
