import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Transform } from "node:stream";
import { type Sandbox, startSandbox } from "../../infra/local/cluster/start.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";

/** A sandbox cluster behind a connection that can be cut, mended, or led to another server. */
export interface BrittleCluster {
  /** Leads through the connection; trusts the certificates that were named as well. */
  kubeconfig: string;
  /** Beside the connection: what is in the cluster, whatever happens to it. */
  client: ClusterClient;
  /** Key and certificate of the cluster, for a server that takes its place. */
  identity: { key: string; certificate: string };
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** The same address, but another server behind it. */
  leadTo(port: number): Promise<void>;
  /** Every answer takes so long from now on, until the connection is mended. */
  slow(milliseconds: number): void;
  /** Cuts the connection when the first request arrives that the predicate picks. */
  cutAt(picks: (request: { method: string; path: string }) => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startBrittleCluster(dataDir: string, trusted: readonly string[] = []): Promise<BrittleCluster> {
  const sandbox = await startSandbox({ dataDir, podDelayMilliseconds: 0 });
  const { key, certificate } = JSON.parse(readFileSync(join(dataDir, "identity.json"), "utf8"));
  const own = portOf(sandbox);
  const connection = await cuttable(own);
  const bundle = Buffer.from([certificate, ...trusted].join("\n")).toString("base64");
  const kubeconfig = sandbox.kubeconfig
    .replace(sandbox.url, `https://127.0.0.1:${connection.port}`)
    .replace(/certificate-authority-data: .*/, `certificate-authority-data: ${bundle}`);
  const client = connect({ kind: "kubeconfig", text: sandbox.kubeconfig, trusted: true });
  return {
    kubeconfig,
    client,
    identity: { key, certificate },
    cut: connection.cut,
    mend: () => connection.open(own),
    leadTo: (port) => connection.open(port),
    slow: connection.slow,
    cutAt: (picks) => atRequest(own, picks, connection.cut),
    close: async () => {
      await connection.cut();
      client.close();
      await sandbox.close();
    },
  };
}

function portOf({ url }: Sandbox): number {
  return Number(new URL(url).port);
}

/** A TCP forwarder on a port of its own that stays the same. */
async function cuttable(target: number) {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  let delayMilliseconds = 0;
  const cut = async (): Promise<void> => {
    const closed = server && once(server, "close");
    server?.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const open = async (to: number): Promise<void> => {
    await cut();
    delayMilliseconds = 0;
    server = createServer((near) => {
      const far = connectTcp(to, "127.0.0.1");
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.once("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      const late = new Transform({
        transform(chunk, _encoding, done) {
          if (delayMilliseconds === 0) return done(null, chunk);
          setTimeout(() => late.push(chunk), delayMilliseconds);
          done();
        },
      });
      near.pipe(far).pipe(late).pipe(near);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  };
  await open(target);
  const slow = (milliseconds: number): void => {
    delayMilliseconds = milliseconds;
  };
  return { port, cut, open, slow };
}

/** Settles when the server on `port`, which runs in this process, has received a request that is picked. */
function atRequest(
  port: number,
  picks: (request: { method: string; path: string }) => boolean,
  act: () => Promise<void>,
): Promise<void> {
  const channel = "http.server.request.start";
  return new Promise((resolve, reject) => {
    const look = (message: unknown): void => {
      const { request } = message as { request: IncomingMessage };
      const { method = "", url: path = "" } = request;
      if (request.socket.localPort !== port || !picks({ method, path })) return;
      unsubscribe(channel, look);
      act().then(resolve, reject);
    };
    subscribe(channel, look);
  });
}
