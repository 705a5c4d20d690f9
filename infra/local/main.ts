import { closeSync, openSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { lockDataDir } from "./dataDir.ts";
import { registryPasswordFile } from "./registryLogin.ts";
import { isPortTaken, portTaken, requireFreePort } from "./requireFreePort.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { readSettings } from "./settings.ts";
import { StartRefused } from "./startRefused.ts";

/** `npm start`: everything on one machine until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const startedAt = performance.now();
  const settings = readSettings(process.env);
  const dataDir = resolve(settings.dataDir);
  const lock = lockDataDir(dataDir);
  await requireFreePort(settings.port).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  // What comes now takes most of a start, which could still be refused up to here, and half of that from the second start on.
  enableCompileCache(join(dataDir, "compiled"));
  const { convertFormat2 } = await import("./table/convertFormat2.ts");
  await convertFormat2(dataDir);
  process.env.SLIPWAY_LOG_FILE = logFile(settings.logFile ?? join(dataDir, "log.ndjson"));
  const { readOperatorKubeconfig } = await import("../../shared/kube/client/endpoint/operatorKubeconfig.ts");
  const operator = await readOperatorKubeconfig(process.env).catch((error: Error) => {
    throw new StartRefused(`KUBECONFIG cannot be used: ${error.message}`);
  });
  const options: RuntimeOptions = {
    dataDir,
    port: settings.port,
    registryPort: settings.registryPort,
    settings: settings.functions,
    withConsole: true,
    ...(settings.adminToken !== undefined && { adminToken: settings.adminToken }),
    ...(settings.adminPassword !== undefined && { adminPassword: settings.adminPassword }),
    ...(settings.bootstrapSecret !== undefined && { bootstrapSecret: settings.bootstrapSecret }),
    ...(settings.metricsToken !== undefined && { metricsToken: settings.metricsToken }),
    ...(operator !== undefined && { kubeconfig: operator.text }),
  };
  const { startRuntime } = await import("./runtime.ts");
  const endTracing = settings.isTraced ? (await import("./tracing/startTracing.ts")).startTracing() : undefined;
  const runtime = await startRuntime(options).catch((error: unknown) => {
    lock.release();
    throw isPortTaken(error) ? portTaken(settings.port) : error;
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      console.log("Slipway is stopping: finishing open requests");
      runtime.close().then(
        async () => {
          lock.release();
          await endTracing?.();
          process.exit(0);
        },
        () => process.exit(1),
      );
    });
  }
  lock.setAddress(runtime.url);
  announce(runtime, {
    dataDir,
    server: operator?.server,
    outboundAllow: settings.outboundAllow,
    registryPort: settings.registryPort,
    seconds: (performance.now() - startedAt) / 1000,
  });
}

/** @throws StartRefused when nothing can be appended to it: a log that cannot be written would end the program later */
function logFile(file: string): string {
  try {
    closeSync(openSync(file, "a", 0o600));
    return file;
  } catch (error) {
    throw new StartRefused(`SLIPWAY_LOG_FILE ${file} cannot be written: ${(error as Error).message}`);
  }
}

function announce(
  runtime: Runtime,
  facts: {
    dataDir: string;
    server: string | undefined;
    outboundAllow: string;
    registryPort: number;
    seconds: number;
  },
): void {
  const { host: registryHost, port: registryPort } = new URL(runtime.registryAddress);
  const isElsewhere = facts.registryPort !== 0 && registryPort !== String(facts.registryPort);
  const lines = [
    `Slipway runs at      ${runtime.url}   (started in ${facts.seconds.toFixed(1)} s)`,
    `Console              ${runtime.url}/console/`,
    `API document         ${runtime.url}/openapi.json`,
    `Data folder          ${facts.dataDir}`,
    facts.server === undefined
      ? `Sandbox cluster      export KUBECONFIG=${runtime.sandboxKubeconfigPath}   (it shows workloads, it does not run them)`
      : `Cluster              ${facts.server}   (from KUBECONFIG)`,
    `Image registry       ${runtime.registryAddress}/slipway${isElsewhere ? `   (port ${facts.registryPort} is in use)` : ""}`,
    `Registry sign-in     docker login ${registryHost} -u ${runtime.registryLogin.username} --password-stdin < ${registryPasswordFile(facts.dataDir)}`,
    `Outbound addresses   ${facts.outboundAllow === "" ? "public ones" : `public ones and ${facts.outboundAllow}`}`,
    ...(runtime.generatedToken === undefined
      ? []
      : [`Administrator token  ${runtime.generatedToken}   (shown this once; SLIPWAY_ADMIN_TOKEN sets another)`]),
  ];
  console.log(lines.join("\n"));
}

main().catch((error: unknown) => {
  console.error(error instanceof StartRefused ? `slipway: ${error.message}` : error);
  process.exit(1);
});
