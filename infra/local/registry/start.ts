import { createServer, type Server } from "node:http";
import { basicAuthorization, type Credentials } from "./basicAuth.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { createListener } from "./listener.ts";
import { openStore } from "./store/openStore.ts";

export type RegistryOptions = {
  /** The folder that this registry alone uses; made when absent. */
  dataDir: string;
  /** 0 or absent: any free port. */
  port?: number;
  /** 127.0.0.1 when absent. */
  host?: string;
  /** When given, every request must carry them (HTTP basic authentication). */
  credentials?: Credentials;
  log?: (line: string) => void;
};

export type Registry = {
  /** `http://<host>:<port>` without a slash at the end. */
  address: string;
  /** Fails unless the registry answers at its address. */
  ping(): Promise<void>;
  /** Takes no more requests, lets those in flight end within 5 seconds, then cuts them off. */
  close(): Promise<void>;
};

/**
 * Starts a registry that speaks the OCI distribution specification 1.1 and keeps everything in `dataDir`. What was
 * answered with 201 is on disk and survives any end of the process; uploads that were not finished start again.
 * Fails with the system's error when the folder cannot be written or the port is taken.
 */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { dataDir, port = 0, host = "127.0.0.1", credentials, log = () => undefined } = options;
  const limits = DEFAULT_LIMITS;
  const store = await openStore(dataDir, limits, log);
  const server = createServer(createListener({ store, limits, log, ...(credentials ? { credentials } : {}) }));
  allowLongTransfers(server);
  const close = createClose(server);
  const bound = await listen(server, port, host);
  server.on("error", (error) => log(`a connection was not accepted: ${error.message}`));
  const idleCheck = setInterval(() => {
    store.uploads.discardIdle(Date.now() - limits.uploadIdleMilliseconds).catch((error: unknown) => log(String(error)));
  }, limits.uploadIdleMilliseconds);
  idleCheck.unref();
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  return {
    address,
    ping: () => ping(address, credentials),
    close: () => {
      clearInterval(idleCheck);
      return close();
    },
  };
}

async function ping(address: string, credentials: Credentials | undefined): Promise<void> {
  const headers: Record<string, string> =
    credentials === undefined ? {} : { authorization: basicAuthorization(credentials) };
  const answer = await fetch(`${address}/v2/`, { headers, signal: AbortSignal.timeout(2000) });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the registry answers ${answer.status}`);
}

/** A layer may take longer than Node's 5 minutes for a request; a connection on which nothing moves may not. */
function allowLongTransfers(server: Server): void {
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  server.timeout = 10 * 60_000;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

/** Gives the function that closes the server; made before the first request, as it must see every answer end. */
function createClose(server: Server): () => Promise<void> {
  // Node keeps a connection open for the next request even when its last answer ends after the server was closed.
  server.on("request", (_request, response) => {
    response.once("close", () => {
      if (!server.listening) server.closeIdleConnections();
    });
  });
  return () =>
    new Promise((resolve) => {
      const cutOff = setTimeout(() => server.closeAllConnections(), 5000);
      server.close(() => {
        clearTimeout(cutOff);
        resolve();
      });
    });
}
