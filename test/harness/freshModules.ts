import { vi } from "vitest";

// Files of tests share a process, because starting one costs more than most of them. Nobody finds what another file left:
// neither in the project's modules nor in the environment.
const kept = Symbol.for("environment before the first file");
const shared = globalThis as { [kept]?: NodeJS.ProcessEnv };
shared[kept] ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!(name in shared[kept])) delete process.env[name];
Object.assign(process.env, shared[kept]);
vi.resetModules();
