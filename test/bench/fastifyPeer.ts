import { BatchGetCommand, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import fastify from "fastify";
import { documentClient } from "../../shared/store/documentClient.ts";

const commands = { GetCommand, BatchGetCommand, QueryCommand };

/** A request of Slipway's to the table, as it was recorded. */
export interface TableRequest {
  command: string;
  input: never;
}

/** One path of the peer: the requests that Slipway makes for it, and what it answers. */
export interface PeerRoute {
  requests: TableRequest[];
  answer: unknown;
}

export interface PeerSetup {
  endpoint: string;
  routes: Record<string, PeerRoute>;
}

/** Fastify with the same AWS client and the very requests of Slipway, and nothing else. Runs as a process of its own. */
process.on("message", async ({ endpoint, routes }: PeerSetup) => {
  const documents = documentClient({ endpoint, region: "us-east-1" });
  const send = ({ command, input }: TableRequest): Promise<unknown> => {
    const Command = commands[command as keyof typeof commands];
    if (Command === undefined) throw new Error(`Slipway sends a ${command} for this GET; the peer knows none`);
    return documents.send(new Command(input) as GetCommand);
  };
  const server = fastify();
  for (const [path, { requests, answer }] of Object.entries(routes))
    server.get(path, async () => {
      for (const request of requests) await send(request);
      return answer;
    });
  process.send?.(await server.listen({ port: 0, host: "127.0.0.1" }));
});
