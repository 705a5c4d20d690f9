import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import {
  CreateTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { tableDefinition } from "../../shared/store/tableDefinition.ts";

export interface Database {
  endpoint: string;
  close(): Promise<void>;
}

/**
 * The table's engine on one machine: the endpoint that is given, or dynoxide with its file in `dataDir`.
 * @throws Error that says what to do where dynoxide has no binary for the platform
 */
export async function startDatabase(options: {
  dataDir: string;
  tableName: string;
  endpoint?: string;
}): Promise<Database> {
  const started = options.endpoint === undefined ? await startDynoxide(options.dataDir) : undefined;
  const endpoint = options.endpoint ?? started?.endpoint ?? "";
  await createTable(endpoint, options.tableName);
  return { endpoint, close: async () => started?.stop() };
}

async function startDynoxide(dataDir: string): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const pidFile = join(dataDir, "dynoxide.pid");
  stopOrphan(pidFile);
  const port = await freePort();
  const child = spawn(
    binary(),
    ["serve", "--host", "127.0.0.1", "--port", String(port), "--db-path", join(dataDir, "table.db")],
    {
      stdio: "ignore",
    },
  );
  if (child.pid === undefined) throw new Error("the table's engine (dynoxide) could not be started");
  writeFileSync(pidFile, String(child.pid));
  const endpoint = `http://127.0.0.1:${port}`;
  await untilAnswers(endpoint, child);
  return {
    endpoint,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(pidFile, { force: true });
    },
  };
}

function binary(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve("@dynoxide/linux-x64/package.json");
    return join(dirname(manifest), "dynoxide");
  } catch {
    throw new Error(
      "no embedded table engine for this platform: start DynamoDB Local and set SLIPWAY_DYNAMODB_ENDPOINT to its address",
    );
  }
}

/** A killed Slipway leaves its engine behind; it holds the file, so it goes first. */
function stopOrphan(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    if (command.includes("dynoxide")) process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
  rmSync(pidFile, { force: true });
}

async function untilAnswers(endpoint: string, child: ChildProcess): Promise<void> {
  const client = clientOf(endpoint);
  for (let attempt = 0; ; attempt++) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      if (child.exitCode !== null)
        throw new Error(`the table's engine (dynoxide) ended with exit code ${child.exitCode}`);
      if (attempt > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
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
