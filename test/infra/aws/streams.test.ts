import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../shared/base/store/ids.ts";
import { table } from "../../../shared/base/store/table.ts";
import { createEnvironmentWrites } from "../../../shared/environments/store/environments.ts";
import { seedLocalCluster } from "../../../shared/kube/clusters/seedLocalCluster.ts";
import { localClusterId } from "../../harness/boutique.ts";
import { hasDynamoDb } from "../../harness/givenTable.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { startApiServer } from "../../shared/kube/client/apiServer.ts";
import { apiGatewayEvent } from "./apiGatewayEvent.ts";
import { type BareProcess, startBareProcess } from "./bareProcess.ts";
import { type Bundled, bundled } from "./bundled.ts";
import { type Cloud, startCloud } from "./cloud.ts";

const environmentId = newId();
const path = "/openapi/logs/sse/pods/web/containers/main?projectKey=demo&envName=dev";
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "demo-dev", labels: { "slipway.dev/environment": environmentId } },
  spec: { containers: [{ name: "main" }] },
};

let cloud: Cloud;
let bundle: Bundled;
let lambda: BareProcess;
let cluster: Awaited<ReturnType<typeof startApiServer>>;
const logs: ServerResponse[] = [];

beforeAll(async () => {
  cloud = await startCloud();
  cluster = await startApiServer((request) => {
    if (!request.url?.includes("/log?")) return { body: pod };
    return (response) => {
      logs.push(response);
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("first\n");
    };
  });
  await seedLocalCluster(cluster.kubeconfig);
  const by = { createdBy: "test", createdAt: 0, updatedBy: "test", updatedAt: 0 };
  const environment = { environmentId, projectKey: "demo", envKey: "dev", alias: "", clusterId: localClusterId };
  const state = { production: false, registryId: "", error: "", changeId: newId(), globalVariables: [] };
  const record = { ...environment, ...state, ...by, namespace: "demo-dev", status: "success" } as const;
  await table().write(...createEnvironmentWrites(record));
  bundle = bundled("functions/api/logs/lambdaHandler.ts");
  lambda = await startBareProcess(bundle.directory, cloud.environment);
}, 120_000);

afterAll(async () => {
  await lambda.stop();
  bundle.remove();
  cluster.close();
  await cloud.close();
});

describe.skipIf(!hasDynamoDb)("a function that streams, alone in a Node process", () => {
  test("sends status and headers, then lines while the container writes them, and ends with it", async () => {
    const answered = lambda.invoke(apiGatewayEvent("GET", path, { token: cloud.adminToken }));
    await waitFor("the first line", async () => lambda.streamed().includes("data:first\n\n"));
    expect(lambda.streamed()).toMatch(
      /^\{"statusCode":200,"headers":\{"content-type":"text\/event-stream".*\}\0{8}event:/,
    );
    logs[0]?.end("second\n");
    expect(await answered).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "text/event-stream", "x-request-id": expect.any(String) },
      body: "event:message\ndata:first\n\nevent:message\ndata:second\n\n",
    });
  });

  test("tells in the stream that the cluster went away", async () => {
    const answered = lambda.invoke(apiGatewayEvent("GET", path, { token: cloud.adminToken }));
    await waitFor("the second stream", async () => logs.length === 2);
    await waitFor("its first line", async () => lambda.streamed().split("data:first").length === 3);
    logs[1]?.destroy();
    expect(await answered).toMatchObject({ statusCode: 200, body: expect.stringMatching(/event:error\ndata:.+\n\n$/) });
  });
});
