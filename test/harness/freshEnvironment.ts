import { provideAdapters } from "../../shared/base/aws/adapters.ts";
import { removeConfig } from "../../shared/base/settings/config.ts";

// Files of tests share a process and its modules, because starting and loading cost more than most of them. Nobody finds
// what another file left in the environment, nor what was made under its settings, nor its adapters.
const kept = Symbol.for("environment before the first file");
const shared = globalThis as { [kept]?: NodeJS.ProcessEnv };
shared[kept] ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!(name in shared[kept])) delete process.env[name];
Object.assign(process.env, shared[kept]);
removeConfig();
provideAdapters(undefined);
