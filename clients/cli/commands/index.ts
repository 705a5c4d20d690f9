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
  apply: async () => (await import("./apply.ts")).applyCommand,
  status: async () => (await import("./status.ts")).statusCommand,
  logs: async () => (await import("./logs.ts")).logsCommand,
  diff: async () => (await import("./changes.ts")).diffCommand,
  rollback: async () => (await import("./changes.ts")).rollbackCommand,
  run: async () => (await import("./tasks.ts")).runCommand,
  task: async () => (await import("./tasks.ts")).taskCommand,
  approve: async () => (await import("./tasks.ts")).approveCommand,
  rollout: async () => (await import("./rollout.ts")).rolloutCommand,
  plan: async () => (await import("./plan.ts")).planCommand,
  version: async () => (await import("./version.ts")).versionCommand,
  open: async () => (await import("./open.ts")).openCommand,
  mcp: async () => (await import("./mcp.ts")).mcpCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./backup.ts")).restoreCommand,
};
