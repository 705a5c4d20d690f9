import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startSandbox } from "../../infra/local/cluster/start.ts";
import { createBoutique, detailOf, environmentBody, untilStatus } from "../harness/boutique.ts";
import { type Program, processesNaming, refusedStart, type Settings, startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 90_000 });

const projects = "/openapi/projects/project";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Started until the test ends at the latest. */
async function start(dataDir: string, settings: Settings = {}): Promise<Program> {
  const program = await startProgram({ SLIPWAY_DATA_DIR: dataDir, ...settings });
  onTestFinished(async () => void (await program.end("SIGKILL")));
  onTestFinished(() => {
    for (const pid of processesNaming(dataDir).keys()) process.kill(pid, "SIGKILL");
  });
  return program;
}

/** A port that another program listens on until the test ends. */
async function takenPort(): Promise<{ port: number; free(): void }> {
  const taken = createServer().listen(0, "127.0.0.1");
  const free = () => void taken.close();
  onTestFinished(free);
  const port = await waitFor("a port", async () => taken.listening && (taken.address() as AddressInfo).port);
  return { port, free };
}

/** Ends as a refusal does: exit code 1, nothing on standard output, one line that helps. */
async function refusal(settings: Settings): Promise<string> {
  const { code, output, errors } = await refusedStart(settings);
  expect({ code, output }).toEqual({ code: 1, output: "" });
  expect(errors).toMatch(/^slipway: [^\n]+\n$/);
  return errors;
}

describe("a start", () => {
  test("says within ten seconds of processor time where it is, and the administrator's token the first time only", async () => {
    const dataDir = join(newFolder(), "data");
    // As the first start of all: with nothing compiled.
    const first = await start(dataDir, { NODE_COMPILE_CACHE: undefined });
    expect(first.startSeconds).toBeLessThan(10);
    expect(first.printed("Data folder")).toBe(dataDir);
    const token = first.printed("Administrator token") ?? "";
    expect(token).toMatch(/^slw_[0-9A-Za-z]{46}$/);
    expect((await first.call("GET", projects, { token })).status).toBe(200);
    expect(await first.end("SIGTERM")).toMatchObject({ code: 0, errors: "" });
    expect(processesNaming(dataDir)).toEqual(new Map());

    const second = await start(dataDir);
    expect(second.printed("Administrator token")).toBeUndefined();
    expect(second.output()).not.toContain(token);
    expect((await second.call("GET", projects, { token })).status).toBe(200);
  });

  test("works after kill -9, and leaves no process behind", async () => {
    const dataDir = join(newFolder(), "data");
    const killed = await start(dataDir, { SLIPWAY_ADMIN_TOKEN: "a".repeat(32) });
    const token = "a".repeat(32);
    const body = { project_name: "Shop", project_key: "shop", is_public: false, project_type: "yaml" };
    expect((await killed.call("POST", projects, { token, body })).status).toBe(200);
    await killed.end("SIGKILL");
    expect(processesNaming(dataDir)).toEqual(new Map());

    const again = await start(dataDir);
    const found = await again.call<unknown>("GET", `${projects}/detail?projectKey=shop`, { token });
    expect(found.json).toMatchObject({ project_key: "shop" });
    await again.end("SIGTERM");
  });

  test("takes a new SLIPWAY_ADMIN_TOKEN in place of the one before", async () => {
    const dataDir = newFolder();
    const [before, after] = ["first-token-of-the-administrator-1", "second-token-of-the-administrator-2"];
    const first = await start(dataDir, { SLIPWAY_ADMIN_TOKEN: before });
    expect(first.output()).not.toContain(before);
    expect((await first.call("GET", projects, { token: before })).status).toBe(200);
    await first.end("SIGTERM");
    const second = await start(dataDir, { SLIPWAY_ADMIN_TOKEN: after });
    expect((await second.call("GET", projects, { token: before })).status).toBe(401);
    expect((await second.call("GET", projects, { token: after })).status).toBe(200);
  });
});

describe("the port of the registry", () => {
  test("is replaced where it is in use, by one that stays while it is, and given back once it is free", async () => {
    const dataDir = newFolder();
    const { port, free } = await takenPort();
    const settings = { SLIPWAY_REGISTRY_PORT: String(port), SLIPWAY_ADMIN_TOKEN: adminToken };
    const known = async (program: Program) =>
      (await program.call<{ address: string }[]>("GET", "/openapi/system/registry")).json[0]?.address;

    const first = await start(dataDir, settings);
    const replaced = await known(first);
    expect(new URL(replaced ?? "").port).not.toBe(String(port));
    expect(first.output()).toContain(`${replaced}/slipway   (port ${port} is in use)`);
    await first.end("SIGTERM");

    const second = await start(dataDir, settings);
    expect(await known(second)).toBe(replaced);
    await second.end("SIGTERM");

    free();
    const third = await start(dataDir, settings);
    expect(await known(third)).toBe(`http://127.0.0.1:${port}`);
    expect(third.output()).not.toContain("is in use");
  });
});

describe("a start is refused, with its own words and exit code 1", () => {
  test("while another Slipway uses the data folder, which goes on undisturbed", async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    const errors = await refusal({ SLIPWAY_DATA_DIR: dataDir });
    expect(errors).toContain(`another Slipway (process ${first.pid}) uses the data folder ${dataDir}`);
    expect((await first.call("GET", "/openapi.json", { token: null })).status).toBe(200);
    await first.end("SIGKILL");
    await start(dataDir);
  });

  test("when its port is in use, before anything else is started", async () => {
    const { port } = await takenPort();
    const dataDir = newFolder();
    const api = await refusal({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_PORT: String(port) });
    expect(api).toContain(`port ${port} is in use: stop what uses it, or set SLIPWAY_PORT`);
    expect(processesNaming(dataDir)).toEqual(new Map());
    expect(readdirSync(dataDir).sort()).toEqual(["format"]);
    await start(dataDir);
  });

  test("when the data folder cannot be written", async () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "not a folder");
    for (const dataDir of [file, join(file, "below"), "/proc/slipway"]) {
      const errors = await refusal({ SLIPWAY_DATA_DIR: dataDir });
      expect(errors).toContain(`the data folder ${dataDir} cannot be written`);
      expect(errors).toContain("SLIPWAY_DATA_DIR");
    }
    expect(readFileSync(file, "utf8")).toBe("not a folder");
  });

  test.each([
    ["that a newer program wrote", "4\n", "holds format 4, this version reads up to 3"],
    ["that an older program wrote", "1\n", "holds format 1, this version reads 2 and later"],
    ["whose format cannot be read", "new\n", "does not say in which format the data is"],
  ])("on data %s", async (_, format, message) => {
    const dataDir = newFolder();
    writeFileSync(join(dataDir, "format"), format);
    expect(await refusal({ SLIPWAY_DATA_DIR: dataDir })).toContain(message);
    expect(readFileSync(join(dataDir, "format"), "utf8")).toBe(format);
  });

  test.each([
    ["is missing", undefined, "cannot be read"],
    ["is no YAML", "token: [secret-in-file\n\t- {", "is not readable as one YAML document"],
    ["holds no kubeconfig", "just: text\n", "clusters"],
    [
      "names an unknown context",
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "absent",
        clusters: [{ name: "one", cluster: { server: "https://127.0.0.1:1" } }],
        users: [{ name: "one", user: { token: "secret-in-file" } }],
        contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
      }),
      'current-context "absent" leads to no cluster; contexts: one',
    ],
  ])("when the file of KUBECONFIG %s", async (_, text, message) => {
    const folder = newFolder();
    const file = join(folder, "kubeconfig");
    if (text !== undefined) writeFileSync(file, text);
    const errors = await refusal({ SLIPWAY_DATA_DIR: join(folder, "data"), KUBECONFIG: file });
    expect(errors).toContain("KUBECONFIG");
    expect(errors).toContain(message);
    expect(errors).not.toContain("secret-in-file");
  });

  test("on settings that cannot be used, all of them at once and none of them quoted", async () => {
    const errors = await refusal({
      SLIPWAY_DATA_DIR: newFolder(),
      SLIPWAY_ADMIN_TOKEN: "too-short",
      SLIPWAY_ADMIN_PASSWORD: "weak",
      SLIPWAY_PORT: "x",
      SLIPWAY_REGISTRY_PORT: "70000",
    });
    expect(errors).toContain("SLIPWAY_ADMIN_TOKEN must have at least 32 characters");
    expect(errors).toContain("SLIPWAY_ADMIN_PASSWORD must have 8 characters");
    expect(errors).toContain("SLIPWAY_PORT must be a port number");
    expect(errors).toContain("SLIPWAY_REGISTRY_PORT");
    expect(errors).not.toMatch(/too-short|weak/);
  });
});

describe("SIGTERM", () => {
  test("lets a request under way finish, takes no new one, and ends with exit code 0", async () => {
    const token = "administrator-token-for-draining-1";
    const program = await start(newFolder(), { SLIPWAY_ADMIN_TOKEN: token });
    const { port } = new URL(program.url);
    const body = JSON.stringify({ project_name: "Shop", project_key: "shop", is_public: false, project_type: "yaml" });
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket.write(
      `POST ${projects} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    // The server has accepted the connection once it answers another request that came later.
    expect((await program.call("GET", "/openapi.json", { token: null })).status).toBe(200);
    const ended = program.end("SIGTERM");
    await waitFor("new connections to be refused", () =>
      fetch(program.url).then(
        () => false,
        () => true,
      ),
    );
    socket.write(body.slice(10));
    expect(await ended).toMatchObject({ code: 0, errors: "" });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('{"message":"success"}');
  });
});

describe("KUBECONFIG", () => {
  test("is followed from start to start; environments of the cluster that is not there are unknown", async () => {
    const folder = newFolder();
    const other = await startSandbox({ dataDir: join(folder, "other"), podDelayMilliseconds: 0 });
    onTestFinished(() => other.close());
    const dataDir = join(folder, "data");
    const own: Settings = { SLIPWAY_ADMIN_TOKEN: adminToken };
    const statuses = (program: Program, ...names: string[]) =>
      Promise.all(names.map(async (name) => (await detailOf(program, "shop", name)).status));

    const first = await start(dataDir, own);
    await createBoutique(first, "shop");
    const services = [{ service_name: "redis-cart", type: "k8s" }];
    const created = await first.call("POST", "/openapi/environments?projectKey=shop", {
      body: { ...environmentBody("here", "shop-here"), services },
    });
    expect(created.text).toBe('{"message":"success"}');
    await untilStatus(first, "shop", "here", "running");
    await first.end("SIGTERM");

    const second = await start(dataDir, { ...own, KUBECONFIG: other.kubeconfigPath });
    expect(second.printed("Cluster")).toBe(other.url);
    expect(await statuses(second, "here")).toEqual(["unknown"]);
    expect((await detailOf(second, "shop", "here")).services.map(({ status }) => status)).toEqual(["unknown"]);
    await second.call("POST", "/openapi/environments?projectKey=shop", {
      body: { ...environmentBody("there", "shop-there"), services },
    });
    await untilStatus(second, "shop", "there", "running");
    await second.end("SIGTERM");

    const third = await start(dataDir, own);
    expect(await statuses(third, "here", "there")).toEqual(["running", "unknown"]);
  });
});

describe("the log", () => {
  test("holds no secret that was set, made, sent or refused", async () => {
    const dataDir = newFolder();
    const secrets = {
      token: "administrator-token-never-to-be-logged",
      password: "Never-Logged-1",
      registryKey: "registry-key-never-logged",
      clusterToken: "cluster-token-never-logged",
      wrongToken: "slw_wrong-token-never-logged",
    };
    const program = await start(dataDir, {
      SLIPWAY_ADMIN_TOKEN: secrets.token,
      SLIPWAY_ADMIN_PASSWORD: secrets.password,
    });
    const call = (method: string, path: string, body?: unknown) =>
      program.call<{ token: string }>(method, path, { token: secrets.token, ...(body !== undefined && { body }) });
    const signedIn = await call("POST", "/api/v1/login", { account: "admin", password: secrets.password });
    expect(signedIn.status).toBe(200);
    await program.call("GET", projects, { token: secrets.wrongToken });
    const registry = {
      address: "http://127.0.0.1:1",
      provider: "native",
      namespace: "shop",
      access_key: "robot",
      secret_key: secrets.registryKey,
      is_default: false,
    };
    expect((await call("POST", "/openapi/system/registry", registry)).status).toBe(200);
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "one",
      clusters: [{ name: "one", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "one", user: { token: secrets.clusterToken } }],
      contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
    };
    const cluster = { name: "far", type: "kubeconfig", kube_config: JSON.stringify(kubeconfig), provider: 0 };
    expect((await call("POST", "/openapi/system/cluster", cluster)).status).toBe(400);
    await call("POST", projects, '{"project_name": "broken');
    await program.end("SIGTERM");
    const log = readFileSync(join(dataDir, "log.ndjson"), "utf8") + program.output();
    expect(log).toContain('"service":"slipway"');
    for (const secret of [...Object.values(secrets), signedIn.json.token]) expect(log).not.toContain(secret);
    for (const line of readFileSync(join(dataDir, "log.ndjson"), "utf8").trim().split("\n")) JSON.parse(line);
  });
});
