import { definition as deliveryVersion } from "./delivery-version/definition.ts";
import { definition as environmentChange } from "./environment-change/definition.ts";
import { definition as job } from "./job/definition.ts";
import { definition as releasePlan } from "./release-plan/definition.ts";
import { definition as workflowTask } from "./workflow-task/definition.ts";

/** A state machine: a folder here under its name, with its definition and the handler that works its tasks off. */
interface Machine {
  definition: object;
  /** Loads what works its tasks off. */
  load(): Promise<{ handler: (event: never) => Promise<unknown> }>;
  /** What it runs, as rights name it: `startChange`, `followChange`, `stopChange`. */
  runs: string;
  /** The setting that tells functions where it is. */
  setting: string;
  /** Slipway aborts executions itself, when another change replaces theirs. */
  isReplaced: boolean;
  /** Of the function. */
  description: string;
  memoryMegabytes: number;
  timeoutSeconds: number;
  /** What the function may do, in the infrastructure's words. */
  rights: readonly string[];
}

/**
 * A function that changes the status of a task reports it: by records that the notifier sends, to the clients that
 * follow changes, on the event bus, to the release plan that started it, and to the chat service whose approval is no
 * longer waited for.
 */
const telling = [
  "writeObjects",
  "seal",
  "unseal",
  "startNotifier",
  "startTeller",
  "publishEvents",
  "startPlanFollower",
  "startApprovalFollower",
] as const;

/** A function that ends tasks also starts the workflows that follow them. */
export const ending = [...telling, "startTriggerStarter"] as const;

/** Every state machine. The infrastructure, functions' rights and settings, and the local program read this list. */
export const machines = {
  "environment-change": {
    definition: environmentChange,
    load: () => import("./environment-change/handler.ts"),
    runs: "Change",
    setting: "SLIPWAY_ENVIRONMENT_CHANGE_ARN",
    isReplaced: true,
    description:
      "Tasks of the state machine that creates, updates and deletes environments, puts them to sleep and wakes them",
    memoryMegabytes: 1024,
    timeoutSeconds: 600,
    rights: [
      "table",
      "readObjects",
      "writeObjects",
      "seal",
      "unseal",
      "enterClusters",
      // Releases are uninstalled by the function that has Helm.
      "askHelm",
      "startChange",
      "stopChange",
      "completeTask",
      "startWatcher",
      "startSleepSchedule",
      // The rollback of a plan goes on behind its change.
      "startPlanFollower",
      "startTeller",
      "wakeReconciler",
    ],
  },
  "workflow-task": {
    definition: workflowTask,
    load: () => import("./workflow-task/handler.ts"),
    runs: "Task",
    setting: "SLIPWAY_WORKFLOW_TASK_ARN",
    isReplaced: false,
    description: "Tasks of the state machine that runs the stages of a task in order",
    memoryMegabytes: 512,
    // It plans tasks of up to 500 jobs, which a request would not have the time for.
    timeoutSeconds: 300,
    rights: [
      ...[...ending, "table", "readObjects", "startTask", "startJob", "followJob", "completeTask", "wakeReconciler"],
      "writeObjects",
    ],
  },
  job: {
    definition: job,
    load: () => import("./job/handler.ts"),
    runs: "Job",
    setting: "SLIPWAY_JOB_ARN",
    isReplaced: false,
    description: "Tasks of the state machine that runs one job of a task",
    memoryMegabytes: 1024,
    // Images are copied for as long as a function may run (SLIPWAY_COPY_SECONDS), then by its next call.
    timeoutSeconds: 900,
    rights: [
      ...[...telling, "table", "readObjects", "enterClusters", "startTask", "completeTask", "wakeReconciler"],
      // Addresses and logins that it makes for the pods of jobs allow no more than it may do itself.
      ...["startWatcher", "pullImages", "pushImages", "readJobObjects", "writeJobObjects", "askHelm"],
    ],
  },
  "release-plan": {
    definition: releasePlan,
    load: () => import("./release-plan/handler.ts"),
    runs: "Plan",
    setting: "SLIPWAY_RELEASE_PLAN_ARN",
    isReplaced: false,
    description: "Tasks of the state machine that waits for one round of a release plan",
    memoryMegabytes: 512,
    timeoutSeconds: 60,
    rights: [
      "table",
      "completeTask",
      "keepPlanSchedules",
      "startPlanFollower",
      "startTeller",
      "publishEvents",
      "wakeReconciler",
    ],
  },
  "delivery-version": {
    definition: deliveryVersion,
    load: () => import("./delivery-version/handler.ts"),
    runs: "Version",
    setting: "SLIPWAY_DELIVERY_VERSION_ARN",
    isReplaced: false,
    description:
      "Tasks of the state machine that packs the charts of a delivery version and copies its images from registry to registry",
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
    rights: [
      "table",
      "readObjects",
      "writeObjects",
      "unseal",
      "enterClusters",
      "pullImages",
      "pushImages",
      // Charts are rendered, before they go out, by the function that has Helm.
      "askHelm",
    ],
  },
} as const satisfies Readonly<Record<string, Machine>>;

export type MachineName = keyof typeof machines;
