import { ending, type MachineName, machines } from "../../../functions/engine/machines.ts";
import type { FunctionDefinition } from "./slipwayFunction.ts";

/** The functions that work off the tasks of state machines. */
const ofMachines = {} as Record<MachineName, FunctionDefinition>;
for (const [name, { description, memoryMegabytes, timeoutSeconds, rights }] of Object.entries(machines))
  ofMachines[name as MachineName] = {
    ...{ name, description, memoryMegabytes, timeoutSeconds, rights },
    entry: `functions/engine/${name}/handler.ts`,
  };

/** Every function that no HTTP request reaches, with what each may do. */
export const workers = {
  ...ofMachines,
  "cluster-watcher": {
    name: "cluster-watcher",
    entry: "functions/triggers/cluster-watcher/handler.ts",
    takesEvents: true,
    description: "Watches one cluster while somebody waits for it, then starts its successor or ends",
    memoryMegabytes: 512,
    timeoutSeconds: 900,
    rights: ["table", "unseal", "enterClusters", "completeTask", "startWatcher"],
    startsItself: true,
  },
  "change-socket": {
    name: "change-socket",
    entry: "functions/triggers/change-socket/handler.ts",
    takesEvents: true,
    description: "Answers change sockets, and tells their connections what changed",
    memoryMegabytes: 256,
    timeoutSeconds: 60,
    rights: ["table", "postToSockets", "startTeller"],
    startsItself: true,
  },
  reconciler: {
    name: "reconciler",
    entry: "functions/triggers/reconciler/handler.ts",
    takesEvents: true,
    description: "Finds what a dead watcher or a crash left behind; runs every minute while work is open",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    rights: [
      ...ending,
      "table",
      "readObjects",
      // A sync of templates that goes on makes revisions, whose texts may be large, and asks Helm about charts.
      "writeObjects",
      "askHelm",
      "listJobObjects",
      "removeTaskObjects",
      "enterClusters",
      "pullImages",
      "startChange",
      "followChange",
      "listChange",
      "stopChange",
      "startTask",
      "followTask",
      "listTask",
      "startJob",
      "followJob",
      "listJob",
      "startVersion",
      "followVersion",
      "completeTask",
      "startWatcher",
      "startRegistryRefresh",
      "startSleepSchedule",
      "wakeReconciler",
      "switchSweep",
    ],
  },
  "registry-refresh": {
    name: "registry-refresh",
    entry: "functions/triggers/registry-refresh/handler.ts",
    takesEvents: true,
    description: "Writes the pull secrets of a registry that was changed into the namespaces that use it",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    rights: ["table", "unseal", "enterClusters", "pullImages"],
  },
  "sleep-schedule": {
    name: "sleep-schedule",
    entry: "functions/triggers/sleep-schedule/handler.ts",
    takesEvents: true,
    description: "Keeps the schedules by which environments fall asleep and wake, and begins what is due",
    memoryMegabytes: 512,
    timeoutSeconds: 60,
    rights: ["table", "startChange", "stopChange", "wakeReconciler", "keepSleepSchedules", "startTeller"],
  },
  "plan-follower": {
    name: "plan-follower",
    entry: "functions/triggers/plan-follower/handler.ts",
    takesEvents: true,
    description:
      "Does what follows when a release plan changed or a time of it has come: waits end, jobs start, services go back",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    rights: [
      ...ending,
      ...["table", "readObjects", "startTask", "completeTask", "startPlan", "wakeReconciler", "keepPlanSchedules"],
      // A rollback begins changes of environments.
      ...["enterClusters", "pullImages", "startChange", "stopChange"],
    ],
  },
  "approval-follower": {
    name: "approval-follower",
    entry: "functions/triggers/approval-follower/handler.ts",
    takesEvents: true,
    description: "Asks chat services for the approvals of jobs and stages, takes them back, and looks how they stand",
    memoryMegabytes: 512,
    timeoutSeconds: 120,
    rights: ["table", "unseal", "completeTask", "keepApprovalSchedules"],
  },
  "trigger-starter": {
    name: "trigger-starter",
    entry: "functions/triggers/trigger-starter/handler.ts",
    takesEvents: true,
    description: "Starts the tasks of what set triggers of workflows going, and keeps the schedules of crons",
    memoryMegabytes: 512,
    timeoutSeconds: 120,
    rights: [...ending, "table", "readObjects", "startTask", "completeTask", "wakeReconciler", "keepCronSchedules"],
  },
  helm: {
    name: "helm",
    entry: "functions/triggers/helm/handler.ts",
    description: "Runs Helm: renders charts, installs, upgrades and removes releases",
    memoryMegabytes: 1769,
    timeoutSeconds: 900,
    rights: ["table", "readObjects", "writeObjects", "unseal", "enterClusters"],
    hasHelm: true,
  },
  notifier: {
    name: "notifier",
    entry: "functions/triggers/notifier/handler.ts",
    takesEvents: true,
    description: "Sends recorded notifications to webhooks, chats and mail servers",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    // A plan whose release was not told of says so.
    rights: ["table", "readObjects", "unseal", "startTeller"],
  },
  "statistics-recount": {
    name: "statistics-recount",
    entry: "functions/triggers/statistics-recount/handler.ts",
    takesEvents: true,
    description: "Once a day counts again what statistics say, from the records, and puts right what differs",
    memoryMegabytes: 512,
    timeoutSeconds: 900,
    rights: ["table", "readObjects", "startStatisticsRecount"],
    startsItself: true,
  },
} as const satisfies Readonly<Record<string, FunctionDefinition>>;

export type WorkerName = keyof typeof workers;
