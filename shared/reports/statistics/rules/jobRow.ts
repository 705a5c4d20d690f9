import type { Day } from "./days.ts";

/** What statistics know of one run of a job that has ended; a retry of the task is another run (contract D 5). */
export interface JobRow extends Delivery {
  jobId: string;
  projectKey: string;
  workflowKey: string;
  taskId: number;
  type: string;
  status: string;
  /** Whether it changed a production environment. */
  production: boolean;
  /** Where it deployed; empty for other jobs. */
  envKey: string;
  service: string;
  /** Unix seconds: of the task, and of the run itself. */
  createTime: number;
  startTime: number;
  endTime: number;
}

export const statKinds = ["build", "deploy", "test", "release"] as const;
export type StatKind = (typeof statKinds)[number];

/** Numbers of one kind, one project and one day; what was not counted is absent. */
export interface Amounts {
  success?: number;
  failure?: number;
  timeout?: number;
  /** Runs of whatever ending. */
  total?: number;
  /** What the runs took together. */
  seconds?: number;
  /** Deployments of a commit whose time is known, and how long after it they were in production together. */
  leads?: number;
  leadSeconds?: number;
  /** Failures of services that are over, and how long they lasted together. */
  restores?: number;
  restoreSeconds?: number;
  /** Deployments that passed and were taken back by a rollback. */
  rolledBack?: number;
}

export const deliveryNames = ["leads", "leadSeconds", "restores", "restoreSeconds", "rolledBack"] as const;
/** What a deployment to production means for its service (decision 125). */
export type Delivery = Pick<Amounts, (typeof deliveryNames)[number]>;

export const amountNames = ["success", "failure", "timeout", "total", "seconds", ...deliveryNames] as const;

const deployTypes = ["zadig-deploy", "zadig-helm-deploy", "zadig-helm-chart-deploy", "deploy"];
const kindsByType: Readonly<Record<string, readonly StatKind[]>> = {
  "zadig-build": ["build"],
  "zadig-test": ["test"],
  "zadig-vm-deploy": ["deploy"],
  "custom-deploy": ["deploy"],
  ...Object.fromEntries(deployTypes.map((type) => [type, ["deploy", "release"] as const])),
};

/** Endings that count as such; of releases every other one counts in the total alone (contract D 5.5). */
const amountOfStatus: Readonly<Record<string, keyof Amounts>> = {
  passed: "success",
  failed: "failure",
  timeout: "timeout",
};

export function isCountedType(type: string): boolean {
  return type in kindsByType;
}

/** The day that a job counts under: builds and tests that of their task, deployments that of their own start. */
export function dayOfRow({ type, createTime, startTime }: JobRow, dayAt: (seconds: number) => Day): Day {
  const isOfTask = type === "zadig-build" || type === "zadig-test";
  return dayAt(isOfTask ? createTime : startTime);
}

/** What an ended job adds to the numbers of its day. */
export function countsOf(row: JobRow): { kind: StatKind; amounts: Amounts }[] {
  return (kindsByType[row.type] ?? []).flatMap((kind) => {
    if (kind === "release" && !row.production) return [];
    const amount = amountOfStatus[row.status];
    if (amount === undefined)
      return kind === "release" && row.status !== "skipped" ? [{ kind, amounts: { total: 1 } }] : [];
    const seconds = kind === "test" ? { seconds: Math.max(0, row.endTime - row.startTime) } : {};
    const delivery = kind === "release" ? deliveryOf(row) : {};
    return [{ kind, amounts: { [amount]: 1, total: 1, ...seconds, ...delivery } }];
  });
}

/** Whether it put something into production, or tried to. */
export function isDeployment(row: JobRow): boolean {
  return row.status in amountOfStatus && countsOf(row).some(({ kind }) => kind === "release");
}

/** Of a row what it means for its service, without what is not known. */
export function deliveryOf(row: Delivery): Delivery {
  return Object.fromEntries(
    deliveryNames.flatMap((name) => {
      const amount = row[name];
      return amount === undefined ? [] : [[name, amount]];
    }),
  );
}

/** Numbers of several rows, shards or projects together. */
export function summed(many: Iterable<Amounts>): Required<Amounts> {
  const sum = Object.fromEntries(amountNames.map((name) => [name, 0])) as Required<Amounts>;
  for (const one of many) for (const name of amountNames) sum[name] += one[name] ?? 0;
  return sum;
}
