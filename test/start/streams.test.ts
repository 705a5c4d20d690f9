import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { environmentBody, untilStatus } from "../harness/boutique.ts";
import { openStream } from "../harness/eventStream.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";

test("a Slipway that stops ends its streams, and does not wait for them", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-streams-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const program = await startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await program.call("POST", "/openapi/projects/project", { body: project });
  const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  await program.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: service });
  const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
  await program.call("POST", "/openapi/environments?projectKey=shop", { body });
  await untilStatus(program, "shop", "dev", "running");
  const pods = "/openapi/environments/dev/service/web/pods?projectKey=shop";
  const { json } = await program.call<{ pods: { pod_name: string }[] }>("GET", pods);
  const name = json.pods[0]?.pod_name ?? "";
  const path = `/openapi/logs/sse/pods/${name}/containers/main?projectKey=shop&envName=dev`;
  const stream = await openStream(program.url, path);
  await stream.lines(1);
  const stoppedAt = performance.now();
  const { code } = await program.end("SIGTERM");
  expect(code).toBe(0);
  // Requests under way are given 29 seconds.
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  await stream.ended();
  expect(stream.events().map(({ event }) => event)).toEqual(["message"]);
}, 90_000);
