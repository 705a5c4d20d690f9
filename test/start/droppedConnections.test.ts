import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuthorization } from "../../infra/local/registry/basicAuth.ts";
import { environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const drops = 2000;
const atATime = 100;
const longestMilliseconds = 60;

/** What is sent before the client leaves, to which of the three ports. */
interface Request {
  port: "api" | "registry" | "cluster";
  text: string;
}

let dataDir: string;
let program: Program;
const ports = { api: 0, registry: 0, cluster: 0 };
const requests: Record<string, Request> = {};

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "slipway-dropped-"));
  program = await startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await program.call("POST", "/openapi/projects/project", { body: project });
  const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  await program.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: service });
  const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
  await program.call("POST", "/openapi/environments?projectKey=shop", { body });
  await untilStatus(program, "shop", "dev", "running");
  const pods = "/openapi/environments/dev/service/web/pods?projectKey=shop";
  const { json } = await program.call<{ pods: { pod_name: string }[] }>("GET", pods);
  const pod = json.pods[0]?.pod_name;

  const registry = new URL(program.printed("Image registry") ?? "");
  const login = basicAuthorization({
    username: "slipway",
    password: readFileSync(join(dataDir, "registry-password"), "utf8"),
  });
  const layer = await pusher(registry.host, { authorization: login }).blob(
    "slipway/web",
    Buffer.alloc(4 * 1024 * 1024, "layer"),
  );
  const kubeconfig = readFileSync(join(dataDir, "sandbox", "kubeconfig"), "utf8");
  const [, clusterPort] = /server: https:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig) ?? [];
  const [, clusterToken] = /token: "([^"]+)"/.exec(kubeconfig) ?? [];
  ports.api = Number(new URL(program.url).port);
  ports.registry = Number(registry.port);
  ports.cluster = Number(clusterPort);

  const authorization = `authorization: Bearer ${adminToken}\r\n`;
  const api = (line: string, rest = `${authorization}\r\n`): Request => ({ port: "api", text: head(line, rest) });
  const events = head("GET /openapi/events/stream", `${authorization}\r\n`);
  Object.assign(requests, {
    "event stream": { port: "api", text: events },
    "log stream": api(`GET /openapi/logs/sse/pods/${pod}/containers/main?projectKey=shop&envName=dev`),
    "stream behind an answer": api(
      "GET /openapi/environments/dev?projectKey=shop",
      `${authorization}\r\n${events}${events}`,
    ),
    JSON: api("GET /openapi/environments/dev?projectKey=shop"),
    "large JSON": api("GET /openapi.json", "\r\n"),
    console: api("GET /console/", "\r\n"),
    "no such path": api("GET /openapi/nothing"),
    "no token": api("GET /openapi/events/stream", "\r\n"),
    upload: api(
      "POST /openapi/service/yaml/raw?projectKey=shop",
      `${authorization}content-type: application/json\r\ncontent-length: 200000\r\n\r\n${"x".repeat(100_000)}`,
    ),
    "half a header": api("GET /openapi/environments", "authoriz"),
    file: {
      port: "registry",
      text: head(`GET /v2/slipway/web/blobs/${layer.digest}`, `authorization: ${login}\r\n\r\n`),
    },
    "upload of a layer": {
      port: "registry",
      text: head(
        `POST /v2/slipway/web/blobs/uploads/?digest=sha256:${"0".repeat(64)}`,
        `authorization: ${login}\r\ncontent-length: 200000\r\n\r\n${"x".repeat(100_000)}`,
      ),
    },
    watch: {
      port: "cluster",
      text: head("GET /api/v1/pods?watch=1", `authorization: Bearer ${clusterToken}\r\n\r\n`),
    },
  } satisfies Record<string, Request>);
}, 90_000);

afterAll(async () => {
  await program?.end("SIGKILL");
  rmSync(dataDir, { recursive: true, force: true });
});

const head = (line: string, rest: string): string => `${line} HTTP/1.1\r\nhost: localhost\r\n${rest}`;

/** Asks, and leaves after so many milliseconds, whatever came until then. */
async function drop({ port, text }: Request, milliseconds: number, way: "close" | "end" | "reset"): Promise<void> {
  const socket: Socket =
    port === "cluster"
      ? connectTls({ port: ports.cluster, host: "127.0.0.1", rejectUnauthorized: false })
      : connect(ports[port], "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(text);
  await pause(milliseconds);
  if (way === "end") socket.end();
  else if (way === "reset" && port !== "cluster") socket.resetAndDestroy();
  else socket.destroy();
  // One that only ends waits for the other side, which may have an answer to send.
  await Promise.race([closed, pause(1000)]);
  socket.destroy();
}

/** Sockets that the program holds, and those of them whose connection is over: proc(5), states of /proc/net/tcp. */
function openSockets(): { all: number; over: number } {
  const folder = `/proc/${program.pid}`;
  const held = readdirSync(join(folder, "fd")).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, "fd", name)))?.slice(1) ?? [];
    } catch {
      return [];
    }
  });
  const rows = (table: string) =>
    readFileSync(join(folder, "net", table), "utf8")
      .trim()
      .split("\n")
      .slice(1);
  const alive = new Set([
    ...["tcp", "tcp6"].flatMap(rows).flatMap((row) => {
      const columns = row.trim().split(/ +/);
      return ["01", "0A"].includes(columns[3] ?? "") ? [columns[9]] : [];
    }),
    ...rows("unix").map((row) => row.trim().split(/ +/)[6]),
  ]);
  return { all: held.length, over: held.filter((inode) => !alive.has(inode)).length };
}

test("no client that leaves, at whatever moment of whatever answer, leaves anything behind or ends the process", async () => {
  const before = openSockets();
  const moments = fc.sample(
    fc.record({
      name: fc.constantFrom(...Object.keys(requests)),
      milliseconds: fc.nat(longestMilliseconds),
      way: fc.constantFrom("close" as const, "end" as const, "reset" as const),
    }),
    { numRuns: drops, seed: 20 },
  );
  const next = moments.values();
  const client = async (): Promise<void> => {
    for (const { name, milliseconds, way } of next) await drop(requests[name] as Request, milliseconds, way);
  };
  await Promise.all(Array.from({ length: atATime }, client));

  expect((await program.call("GET", "/openapi/environments/dev?projectKey=shop")).status).toBe(200);
  await waitFor("every connection that is over to be closed", async () => openSockets().over === 0);
  // What it keeps open to use again grows to what a hundred clients at a time ask of it.
  expect(openSockets().all).toBeLessThan(before.all + 2 * atATime);
  const log = readFileSync(join(dataDir, "log.ndjson"), "utf8").trim().split("\n");
  expect(log.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  expect(await program.end("SIGTERM")).toMatchObject({ code: 0, errors: "" });
}, 120_000);
