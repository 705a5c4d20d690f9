import { telling } from "./groupRights.ts";
import type { FunctionDefinition } from "./slipwayFunction.ts";

/** Every function that no HTTP request reaches, with what each may do. */
export const workers = {
  "environment-change": {
    name: "environment-change",
    entry: "functions/engine/environment-change/handler.ts",
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
      "startChange",
      "stopChange",
      "settleTask",
      "startWatcher",
      "startSleepSchedule",
      "wakeReconciler",
    ],
  },
  "workflow-task": {
    name: "workflow-task",
    entry: "functions/engine/workflow-task/handler.ts",
    description: "Tasks of the state machine that runs the stages of a task in order",
    memoryMegabytes: 512,
    timeoutSeconds: 60,
    rights: [...telling, "table", "readObjects", "startTask", "startJob", "followJob", "settleTask", "wakeReconciler"],
  },
  job: {
    name: "job",
    entry: "functions/engine/job/handler.ts",
    description: "Tasks of the state machine that runs one job of a task",
    memoryMegabytes: 1024,
    timeoutSeconds: 600,
    rights: [
      ...[...telling, "table", "readObjects", "enterClusters", "startTask", "settleTask", "wakeReconciler"],
      // Addresses and logins that it makes for the pods of jobs allow no more than it may do itself.
      ...["startWatcher", "pullImages", "pushImages", "readJobObjects", "writeJobObjects"],
    ],
  },
  "cluster-watcher": {
    name: "cluster-watcher",
    entry: "functions/triggers/cluster-watcher/handler.ts",
    description: "Watches one cluster while somebody waits for it, then starts its successor or ends",
    memoryMegabytes: 512,
    timeoutSeconds: 900,
    rights: ["table", "unseal", "enterClusters", "settleTask", "startWatcher"],
    startsItself: true,
  },
  reconciler: {
    name: "reconciler",
    entry: "functions/triggers/reconciler/handler.ts",
    description: "Finds what a dead watcher or a crash left behind; runs every minute while work is open",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    rights: [
      ...telling,
      "table",
      "readObjects",
      "enterClusters",
      "startChange",
      "followChange",
      "stopChange",
      "startTask",
      "followTask",
      "settleTask",
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
    description: "Writes the pull secrets of a registry that was changed into the namespaces that use it",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    rights: ["table", "unseal", "enterClusters", "pullImages"],
  },
  "sleep-schedule": {
    name: "sleep-schedule",
    entry: "functions/triggers/sleep-schedule/handler.ts",
    description: "Keeps the schedules by which environments fall asleep and wake, and begins what is due",
    memoryMegabytes: 512,
    timeoutSeconds: 60,
    rights: ["table", "startChange", "stopChange", "wakeReconciler", "keepSleepSchedules"],
  },
  notifier: {
    name: "notifier",
    entry: "functions/triggers/notifier/handler.ts",
    description: "Sends recorded notifications to webhooks, chats and mail servers",
    memoryMegabytes: 512,
    timeoutSeconds: 300,
    rights: ["table", "readObjects", "unseal"],
  },
} as const satisfies Readonly<Record<string, FunctionDefinition>>;

export type WorkerName = keyof typeof workers;
