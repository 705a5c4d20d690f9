import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Program, startProgram } from "../harness/program.ts";
import { waitFor } from "../harness/waitFor.ts";

/**
 * A data folder that revision 62726c30 wrote, the last with format 2, and that was killed while the last job of a task ran:
 * an administrator, Ann, the project shop with the service web in the environment dev, and the workflow ship.
 */
const packed = fileURLToPath(new URL("./fixtures/format-2.tar.gz", import.meta.url));
const token = "administrator-token-of-format-2-folder";

const folder = mkdtempSync(join(tmpdir(), "slipway-format-2-"));
const dataDir = join(folder, "format-2");
let program: Program;

/** Unix seconds. */
const writtenAt = 1_795_855_740;

/** As if it had been written just now: the job that runs in it, and its pod, may take ten hours. */
function renewTask(): void {
  const shift = Math.floor(Date.now() / 1000) - writtenAt;
  change("table.db", ["slipway", "rowid", "item_json"], "pk LIKE 'S:task#%'", (item) =>
    item.replace(/"N":"(1795855\d{3})"/g, (_, time) => `"N":"${Number(time) + shift}"`),
  );
  change("sandbox/objects.db", ["object", "key", "body"], "body IS NOT NULL", (body) =>
    body.replace(/2026-11-28T08:\d\d:\d\d(?=Z)/g, (time) =>
      new Date(Date.parse(`${time}Z`) + shift * 1000).toISOString().slice(0, 19),
    ),
  );
  const aws = new DatabaseSync(join(dataDir, "aws/aws.sqlite"));
  aws.prepare("UPDATE executions SET start_ms = start_ms + ?").run(shift * 1000);
  aws.close();
}

type Column = readonly [table: string, key: string, column: string];

function change(file: string, [table, key, column]: Column, where: string, renewed: (text: string) => string): void {
  const database = new DatabaseSync(join(dataDir, file));
  for (const { id, text } of database
    .prepare(`SELECT ${key} AS id, ${column} AS text FROM ${table} WHERE ${where}`)
    .all())
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(renewed(String(text)), id ?? "");
  database.close();
}

beforeAll(async () => {
  execFileSync("tar", ["-xzf", packed, "-C", folder]);
  renewTask();
  program = await startProgram({ SLIPWAY_DATA_DIR: dataDir });
});

afterAll(async () => {
  await program?.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

async function read<T>(path: string): Promise<T> {
  const answer = await program.call<T>("GET", path, { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

test("people keep their passwords, and the administrator the token", async () => {
  const body = { account: "ann", password: "Passw0rd-of-ann" };
  expect((await program.call("POST", "/api/v1/login", { token: null, body })).status).toBe(200);
  expect(await read("/openapi/projects/project")).toMatchObject({ projects: [{ project_key: "shop" }] });
});

test("an environment is as it was", async () => {
  const detail = () => read<{ status: string }>("/openapi/environments/dev?projectKey=shop");
  expect(await detail()).toMatchObject({ stored_status: "success", services: [{ service_name: "web" }] });
  await waitFor("the environment to run", async () => (await detail()).status === "running");
});

test("a task that ran is finished", async () => {
  const task = () => read<{ status: string }>("/openapi/workflows/custom/task?workflowKey=ship&taskId=1");
  await waitFor("the end of the task", async () => !["running", "waiting"].includes((await task()).status));
  expect(await task()).toMatchObject({ status: "passed", stages: [{ status: "passed" }, { status: "passed" }] });
});

test("an environment takes what it took, until its project gets a boundary", async () => {
  const write = async (method: string, path: string, body: object, as = token) =>
    program.call<{ code?: number; token?: string; uid?: string }>(method, path, { token: as, body });
  const ann = (await write("POST", "/api/v1/login", { account: "ann", password: "Passw0rd-of-ann" })).json;
  const identities = [{ identity_type: "user", uid: ann.uid }];
  const bound = await write("POST", "/openapi/policy/role-bindings?namespace=shop", {
    role: "project-admin",
    identities,
  });
  expect(bound.status, bound.text).toBe(200);
  const rule = { apiGroups: [""], resources: ["namespaces"], verbs: ["patch"] };
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "lifts" }, rules: [rule] };
  const service = { service_name: "lifts", yaml: JSON.stringify(role) };
  const saved = await write("POST", "/openapi/service/yaml/raw?projectKey=shop", service, ann.token);
  expect(saved.status, saved.text).toBe(200);
  const change = (method: string, name: string) => {
    const body = { env_key: "dev", service_list: [{ service_name: name }] };
    return write(method, "/openapi/environments/service/yaml?projectKey=shop", body, ann.token);
  };
  const added = await change("POST", "lifts");
  expect(added.status, added.text).toBe(200);
  const detail = () => read<{ stored_status: string }>("/openapi/environments/dev?projectKey=shop");
  await waitFor("the change to end", async () => (await detail()).stored_status === "success");
  expect((await write("PUT", "/openapi/system/projects/shop/boundary", {})).status).toBe(200);
  expect((await change("PUT", "lifts")).json).toMatchObject({ code: 6045 });
  expect((await change("PUT", "web")).status).toBe(200);
});

test("the former table stays beside it, and the folder has the new format", () => {
  expect(readFileSync(join(dataDir, "format"), "utf8")).toBe("3\n");
  expect(existsSync(join(dataDir, "format-2", "table.db"))).toBe(true);
  expect(existsSync(join(dataDir, "table.db"))).toBe(false);
});
