import fastify from "fastify";
import { SqliteEngine } from "../../infra/local/table/sqliteEngine.ts";

/** A read of Slipway's table, as it was recorded. */
export interface TableRead {
  method: "get" | "getBatch" | "queryPage";
  given: never[];
}

/** One path of the peer: the reads that Slipway makes for it, and what it answers. */
export interface PeerRoute {
  reads: TableRead[];
  answer: unknown;
}

export interface PeerSetup {
  /** Of the table. */
  file: string;
  routes: Record<string, PeerRoute>;
}

/** Fastify with the same table and the very reads of Slipway, and nothing else. Runs as a process of its own. */
process.on("message", async ({ file, routes }: PeerSetup) => {
  const engine = new SqliteEngine(file);
  const server = fastify();
  for (const [path, { reads, answer }] of Object.entries(routes))
    server.get(path, async () => {
      for (const { method, given } of reads) await (engine[method] as (...all: never[]) => Promise<unknown>)(...given);
      return answer;
    });
  process.send?.(await server.listen({ port: 0, host: "127.0.0.1" }));
});
