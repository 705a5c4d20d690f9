import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runtime, type RuntimeOptions, startRuntime } from "../../infra/local/runtime.ts";
import { givenTable } from "./givenTable.ts";
import { indexesShowAll } from "./indexesShowAll.ts";

export const adminToken = "test-administrator-token-of-32-characters";

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed body; undefined when it is not JSON. */
  json: T;
}

export interface CallOptions {
  body?: unknown;
  /** Sent instead of the administrator's; null sends none. */
  token?: string | null;
  headers?: Record<string, string>;
}

/**
 * A whole Slipway on free ports with its data in a folder of its own: the door of every behaviour test. Its cluster
 * watchers share the test's thread unless told: a thread of theirs takes half a second of processor time to load.
 */
export interface Slipway {
  runtime: Runtime;
  dataDir: string;
  call<T = Record<string, never>>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

export async function startSlipway(options: Partial<RuntimeOptions> = {}): Promise<Slipway> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "slipway-test-"));
  process.env.SLIPWAY_LOG_FILE = join(dataDir, "log.ndjson");
  const table = givenTable(dataDir);
  const settings = { ...table.settings, ...options.settings };
  const runtime = await startRuntime({ port: 0, adminToken, hasWatcherThreads: false, ...options, dataDir, settings });
  // The first administrator is found by lists.
  await indexesShowAll();
  return {
    runtime,
    dataDir,
    call: (method, path, callOptions) => call(runtime.url, method, path, callOptions),
    close: async () => {
      await runtime.close();
      await table.remove();
      // A line of the log may still be on its way.
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** One HTTP request; a text body is sent as it stands, anything else as JSON. */
export async function call<T>(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const token = options.token === undefined ? adminToken : options.token;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(options.body !== undefined && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(options.body !== undefined && {
      body: typeof options.body === "string" ? options.body : JSON.stringify(options.body),
    }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) as T };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
