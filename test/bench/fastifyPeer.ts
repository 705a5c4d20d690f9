import { BatchGetCommand, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import fastify from "fastify";
import { documentClient } from "../../shared/store/documentClient.ts";
import { keys } from "../../shared/store/keys.ts";
import type { StoreCall } from "../../shared/store/storeCalls.ts";

/** One path of the peer: the round trips that Slipway makes for it, and what it answers. */
export interface PeerRoute {
  calls: StoreCall["kind"][];
  answer: unknown;
}

export interface PeerSetup {
  endpoint: string;
  tableName: string;
  projectKey: string;
  routes: Record<string, PeerRoute>;
}

/** Fastify with the same AWS client and as many reads of the same table, and nothing else. Runs as a process of its own. */
process.on("message", async ({ endpoint, tableName, projectKey, routes }: PeerSetup) => {
  const documents = documentClient({ endpoint, region: "us-east-1" });
  const key = keys.project(projectKey);
  const read = (kind: StoreCall["kind"]): Promise<unknown> => {
    if (kind === "get") return documents.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
    if (kind === "getMany") {
      const Keys = [key, keys.projectGlobals(projectKey)];
      return documents.send(new BatchGetCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }));
    }
    const values = { ExpressionAttributeValues: { ":pk": key.pk }, KeyConditionExpression: "pk = :pk" };
    return documents.send(new QueryCommand({ TableName: tableName, ...values, ConsistentRead: true }));
  };
  const server = fastify();
  for (const [path, { calls, answer }] of Object.entries(routes))
    server.get(path, async () => {
      for (const kind of calls) await read(kind);
      return answer;
    });
  process.send?.(await server.listen({ port: 0, host: "127.0.0.1" }));
});
