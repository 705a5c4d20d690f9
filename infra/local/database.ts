import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CreateTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { tableDefinition } from "../../shared/store/tableDefinition.ts";
import { StartRefused } from "./startRefused.ts";

export interface Database {
  endpoint: string;
  close(): Promise<void>;
}

/**
 * The table's engine on one machine: the endpoint that is given, or dynoxide with its file in `dataDir`.
 * @throws StartRefused where nothing answers at the endpoint, or dynoxide has no binary for the platform
 */
export async function startDatabase(options: {
  dataDir: string;
  tableName: string;
  endpoint?: string;
}): Promise<Database> {
  const started = options.endpoint === undefined ? await startDynoxide(options.dataDir) : undefined;
  const endpoint = options.endpoint ?? started?.endpoint ?? "";
  await createTable(endpoint, options.tableName).catch((error: Error & { code?: string }) => {
    if (error.code !== "ECONNREFUSED" && error.code !== "ENOTFOUND") throw error;
    throw new StartRefused(
      `no DynamoDB answers at ${endpoint} (${error.code}): start it, or unset SLIPWAY_DYNAMODB_ENDPOINT`,
    );
  });
  return { endpoint, close: async () => started?.stop() };
}

/** Endpoint of the engine that a running Slipway has on this data folder; undefined when none runs. */
export function findDatabase(dataDir: string): string | undefined {
  const databaseFile = join(dataDir, "table.db");
  const port = enginesOf(databaseFile)
    .map((pid) => commandOf(pid))
    .map((words) => words[words.indexOf("--port") + 1])
    .find((word) => word !== undefined);
  return port === undefined ? undefined : `http://127.0.0.1:${port}`;
}

async function startDynoxide(dataDir: string): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const databaseFile = join(dataDir, "table.db");
  await stopOrphans(databaseFile);
  const { child, endpoint } = await launch(databaseFile);
  return {
    endpoint,
    stop: async () => {
      if (hasEnded(child)) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** A port that was free may be taken by another program before the engine takes it. */
const maxLaunches = 5;

async function launch(databaseFile: string): Promise<{ child: ChildProcess; endpoint: string }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const command = ["serve", "--host", "127.0.0.1", "--port", String(port), "--db-path", databaseFile];
    const child = spawn(binary(), command, { stdio: "ignore" });
    if (child.pid === undefined) throw new Error("the table's engine (dynoxide) could not be started");
    const endpoint = `http://127.0.0.1:${port}`;
    if (await answers(endpoint, child)) return { child, endpoint };
    if (attempt === maxLaunches)
      throw new Error(`the table's engine (dynoxide) ended with exit code ${child.exitCode}`);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function binary(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve("@dynoxide/linux-x64/package.json");
    return join(dirname(manifest), "dynoxide");
  } catch {
    throw new StartRefused(
      "no embedded table engine for this platform: start DynamoDB Local and set SLIPWAY_DYNAMODB_ENDPOINT to its address",
    );
  }
}

/** A killed Slipway leaves its engine behind; it holds the file, so it goes first. */
async function stopOrphans(databaseFile: string): Promise<void> {
  const left = enginesOf(databaseFile);
  for (const pid of left) kill(pid);
  while (left.length > 0 && enginesOf(databaseFile).length > 0) await sleep(10);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** Found by their command line, so that none is missed whatever moment the one who started it was killed in. */
function enginesOf(databaseFile: string): number[] {
  const entries = existsSync("/proc") ? readdirSync("/proc") : [];
  return entries
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => isEngine(pid, databaseFile));
}

function isEngine(pid: number, databaseFile: string): boolean {
  const words = commandOf(pid);
  return words[0]?.endsWith("dynoxide") === true && words.includes(databaseFile);
}

/** Words of a process's command; none when it ended. */
function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** @returns false when the engine ended instead; whoever answers on its port then is somebody else's. */
async function answers(endpoint: string, child: ChildProcess): Promise<boolean> {
  const client = clientOf(endpoint);
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        await client.send(new ListTablesCommand({}));
        return !hasEnded(child);
      } catch (error) {
        if (hasEnded(child)) return false;
        if (attempt > 200) throw error;
        await sleep(25);
      }
    }
  } finally {
    client.destroy();
  }
}

function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}

async function createTable(endpoint: string, tableName: string): Promise<void> {
  const { partitionKey, sortKey, indexes, ttlAttribute } = tableDefinition;
  const keyNames = [
    ...new Set([partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])]),
  ];
  const schema = (pk: string, sk: string) => [
    { AttributeName: pk, KeyType: "HASH" as const },
    { AttributeName: sk, KeyType: "RANGE" as const },
  ];
  const client = clientOf(endpoint);
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: keyNames.map((name) => ({ AttributeName: name, AttributeType: "S" })),
        KeySchema: schema(partitionKey, sortKey),
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: schema(index.partitionKey, index.sortKey),
          Projection:
            index.attributes.length === 0
              ? { ProjectionType: "KEYS_ONLY" as const }
              : { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...index.attributes] },
        })),
      }),
    );
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: tableName,
        TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  } finally {
    client.destroy();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
