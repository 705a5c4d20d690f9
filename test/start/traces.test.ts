import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { type Program, refusedStart, startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

/** What a collector is sent, see opentelemetry-proto: collector/trace/v1/trace_service.proto. */
interface Sent {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number; message?: string };
}

const dataDir = mkdtempSync(join(tmpdir(), "slipway-traces-"));
let collector: HookReceiver;
let program: Program;

beforeAll(async () => {
  collector = await startHookReceiver(() => "{}");
  program = await start();
  const project = { project_name: "shop", project_key: "shop", project_type: "yaml" };
  await call("POST", "/openapi/projects/project", project);
}, 60_000);

afterAll(async () => {
  await program.end("SIGTERM");
  await collector.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function start(): Promise<Program> {
  return startProgram({
    ...{ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "100" },
  });
}

async function call<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
  const answer = await program.call<T>(method, path, { headers, ...(body && { body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
}

function spans(): Span[] {
  return collector.received
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
}

const shown = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

function inTrace(traceId: string, name: string, count: number): Promise<Span[]> {
  return waitFor(`${count} spans ${name}`, async () => {
    const found = spans().filter((span) => span.traceId === traceId && span.name === name);
    return found.length >= count && found;
  });
}

const held = {
  ...{ name: "held", type: "approval" },
  spec: { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } },
};
const path = "/openapi/workflows/custom/task";
const [ours, theirs] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];

async function startTask(workflow: string, jobs: readonly object[], headers: Record<string, string>): Promise<number> {
  const stages = [{ name: "one", parallel: false, jobs }];
  await call("POST", "/openapi/workflows/custom", { name: workflow, project: "shop", stages });
  const inputs = (jobs as { name: string }[]).map(({ name }) => ({ job_name: name, parameters: {} }));
  const body = { workflow_key: workflow, project_key: "shop", inputs };
  return (await call<{ task_id: number }>("POST", path, body, headers)).task_id;
}

test("jobs are parts of their task and the task of the caller's request, over a kill of the program", async () => {
  const traceparent = `00-${ours}-${theirs}-01`;
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const script = { name: "first", type: "freestyle", spec: { runtime, script_type: "shell", script: "true" } };
  const task = await startTask("release", [script, held], { traceparent });
  const [first] = (await inTrace(ours, "job freestyle", 1)) as [Span];
  await program.end("SIGKILL");
  program = await start();
  await waitFor("the cancel", async () => {
    const address = `${path}?workflowKey=release&taskId=${task}`;
    return (await program.call("DELETE", address)).status === 200;
  });
  const [request] = (await inTrace(ours, `POST ${path}`, 1)) as [Span];
  const [run] = (await inTrace(ours, "workflow release", 1)) as [Span];
  const jobs = [...(await inTrace(ours, "job approval", 1)), first];
  expect(request).toMatchObject({ parentSpanId: theirs, kind: 2, status: { code: 0 } });
  expect(shown(request)).toMatchObject({ "http.request.method": "POST", "http.response.status_code": 200 });
  expect(run).toMatchObject({ parentSpanId: request.spanId, status: { code: 0 } });
  expect(shown(run)).toMatchObject({ "slipway.workflow": "release", "slipway.status": "cancelled" });
  expect(jobs.map((job) => [job.parentSpanId, shown(job)["slipway.status"]]).sort()).toEqual([
    [run.spanId, "cancelled"],
    [run.spanId, "passed"],
  ]);
  expect(shown(first)["slipway.job"]).toMatch(/first$/);
  for (const span of [run, ...jobs])
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
}, 90_000);

test("what fails says so in its task and its job, and a caller without a trace begins one", async () => {
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const failing = { name: "work", type: "freestyle", spec: { runtime, script_type: "shell", script: "exit 3" } };
  const task = await startTask("broken", [failing], {});
  const run = await waitFor("the task", async () => spans().find(({ name }) => name === "workflow broken"), 60);
  expect(run.status).toEqual({ code: 2, message: "failed" });
  const [job] = (await inTrace(run.traceId, "job freestyle", 1)) as [Span];
  expect(job).toMatchObject({ parentSpanId: run.spanId, status: { code: 2, message: "failed" } });
  const [request] = (await inTrace(run.traceId, `POST ${path}`, 1)) as [Span];
  expect(request.spanId).toBe(run.parentSpanId);
  expect(request.parentSpanId).toBeUndefined();

  // Its retry is a run of its own, of who asked for it.
  const again = "3".repeat(32);
  await call("POST", `/openapi/workflows/custom/broken/task/${task}?projectKey=shop`, undefined, {
    traceparent: `00-${again}-${theirs}-01`,
  });
  const [retried] = (await inTrace(again, "workflow broken", 1)) as [Span];
  const asked = await waitFor("the request", async () =>
    spans().find(({ traceId, name }) => traceId === again && name.startsWith("POST ")),
  );
  expect([asked.parentSpanId, retried.parentSpanId]).toEqual([theirs, asked.spanId]);
  expect(retried.spanId).not.toBe(run.spanId);
  expect(BigInt(retried.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(run.endTimeUnixNano));
  expect((await inTrace(again, "job freestyle", 1))[0]).toMatchObject({ parentSpanId: retried.spanId });
}, 90_000);

test("all of them come from the service that the collector is told, and a caller who does not record is not recorded", async () => {
  const [sent] = collector.received.filter((one) => one.path === "/v1/traces");
  const [resource] = (JSON.parse(sent?.body ?? "") as Sent).resourceSpans;
  expect(resource?.resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "slipway" } });
  const quiet = "1".repeat(32);
  await call("GET", "/openapi/projects/project", undefined, { traceparent: `00-${quiet}-${theirs}-00` });
  const heard = "2".repeat(32);
  await call("GET", "/openapi/projects/project", undefined, { traceparent: `00-${heard}-${theirs}-01` });
  await inTrace(heard, "GET /openapi/projects/project", 1);
  expect(spans().filter(({ traceId }) => traceId === quiet)).toEqual([]);
});

test("a start refuses an address that is none", async () => {
  const { code, errors } = await refusedStart({ SLIPWAY_DATA_DIR: dataDir, OTEL_EXPORTER_OTLP_ENDPOINT: "collector" });
  expect([code, errors]).toEqual([1, expect.stringContaining("OTEL_EXPORTER_OTLP_ENDPOINT must be the address")]);
});
