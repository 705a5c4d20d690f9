import type { Command } from "commander";

type Add = (program: Command) => void;

/**
 * Every command, in the order of the help, by a function that loads its file: a command that is typed loads its own file
 * alone, since loading all of them takes longer than most commands.
 */
export const commands: Readonly<Record<string, () => Promise<Add>>> = {
  demo: async () => (await import("./demo.ts")).demoCommand,
  up: async () => (await import("./up.ts")).upCommand,
  down: async () => (await import("./up.ts")).downCommand,
  login: async () => (await import("./login.ts")).loginCommand,
  context: async () => (await import("./login.ts")).contextCommand,
  whoami: async () => (await import("./whoami.ts")).whoamiCommand,
  doctor: async () => (await import("./whoami.ts")).doctorCommand,
  init: async () => (await import("./init.ts")).initCommand,
  apply: async () => (await import("./apply.ts")).applyCommand,
  status: async () => (await import("./status.ts")).statusCommand,
  get: async () => (await import("./get.ts")).getCommand,
  describe: async () => (await import("./get.ts")).describeCommand,
  create: async () => (await import("./create.ts")).createCommand,
  delete: async () => (await import("./get.ts")).deleteCommand,
  env: async () => (await import("./env.ts")).envCommand,
  wait: async () => (await import("./wait.ts")).waitCommand,
  logs: async () => (await import("./logs.ts")).logsCommand,
  diff: async () => (await import("./changes.ts")).diffCommand,
  events: async () => (await import("./workloads.ts")).eventsCommand,
  history: async () => (await import("./workloads.ts")).historyCommand,
  image: async () => (await import("./workloads.ts")).imageCommand,
  scale: async () => (await import("./workloads.ts")).scaleCommand,
  restart: async () => (await import("./workloads.ts")).restartCommand,
  rollback: async () => (await import("./changes.ts")).rollbackCommand,
  run: async () => (await import("./tasks.ts")).runCommand,
  runs: async () => (await import("./runs.ts")).runsCommand,
  task: async () => (await import("./tasks.ts")).taskCommand,
  approve: async () => (await import("./tasks.ts")).approveCommand,
  cancel: async () => (await import("./runs.ts")).cancelCommand,
  retry: async () => (await import("./runs.ts")).retryCommand,
  workflow: async () => (await import("./workflow.ts")).workflowCommand,
  rollout: async () => (await import("./rollout.ts")).rolloutCommand,
  plan: async () => (await import("./plan.ts")).planCommand,
  version: async () => (await import("./version.ts")).versionCommand,
  token: async () => (await import("./token.ts")).tokenCommand,
  open: async () => (await import("./open.ts")).openCommand,
  mcp: async () => (await import("./mcp.ts")).mcpCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./backup.ts")).restoreCommand,
};
