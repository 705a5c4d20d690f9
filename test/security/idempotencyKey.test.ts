import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import { pageOfOperations } from "../../shared/access/audit/store/pages.ts";
import { provideTable } from "../../shared/base/store/table.ts";
import { TableClient } from "../../shared/base/store/tableClient.ts";
import { faultyEngine } from "../harness/faultyEngine.ts";
import { giveRoles } from "../harness/giveRoles.ts";
import { type RawItem, rawItems } from "../harness/rawItems.ts";
import { type Answer, adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { expectError } from "./expectError.ts";
import { storedPerson } from "./storedPerson.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  expect((await createProject("demo", randomUUID())).status).toBe(200);
});

afterAll(() => slipway.close());

interface Sent {
  key: string;
  body?: unknown;
  token?: string | null;
}

function send<T = unknown>(method: string, path: string, { key, ...rest }: Sent): Promise<Answer<T>> {
  return slipway.call<T>(method, path, { ...rest, headers: { "idempotency-key": key } });
}

function createProject(project_key: string, key: string, more: Partial<Sent> & { description?: string } = {}) {
  const { description = "", ...rest } = more;
  const body = { project_name: project_key, project_key, project_type: "yaml", description };
  return send("POST", "/openapi/projects/project", { key, body, ...rest });
}

const isReplay = (answer: Answer): boolean => answer.headers.get("idempotent-replayed") === "true";
const logged = async (): Promise<number> => (await pageOfOperations(1, 1)).total;

/** Every item of the table, or those whose partition begins so. */
async function itemsOf(prefix = ""): Promise<RawItem[]> {
  return (await rawItems.all()).filter(({ pk }) => pk.startsWith(prefix));
}

/** The item that one call with a new key left. */
async function keptBy(call: () => Promise<unknown>): Promise<RawItem> {
  const before = new Set((await itemsOf("idempotency#")).map(({ pk }) => pk));
  await call();
  const added = (await itemsOf("idempotency#")).filter(({ pk }) => !before.has(pk));
  expect(added).toHaveLength(1);
  return added[0] as RawItem;
}

describe("an Idempotency-Key", () => {
  test("used again with the same body replays the answer and writes no second operation log", async () => {
    const key = randomUUID();
    const first = await createProject("first", key);
    expect(first.text).toBe('{"message":"success"}');
    expect(isReplay(first)).toBe(false);
    const before = await logged();
    const second = await createProject("first", key);
    expect(isReplay(second)).toBe(true);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(await logged()).toBe(before);
    expectError(await createProject("first", randomUUID()), 400, "without the same key it is a duplicate");
  });

  test("replays refusals of the work too", async () => {
    const key = randomUUID();
    const first = expectError(await createProject("demo", key), 400, "a duplicate");
    const second = await createProject("demo", key);
    expect(isReplay(second)).toBe(true);
    expect(expectError(second, 400, "the replay")).toEqual(first);
  });

  test("used with another body is 422 and does nothing", async () => {
    const key = randomUUID();
    expect((await createProject("other-body", key)).status).toBe(200);
    const { code } = expectError(await createProject("other-body-2", key), 422, "another body");
    expect(code).toBe(422);
    expectError(await createProject("other-body", key, { description: "changed" }), 422, "another body");
    const path = "/openapi/projects/project/detail?projectKey=other-body-2";
    expect((await slipway.call("GET", path)).status).toBe(404);
  });

  test("of a request in flight is 409; when its claim is over it is free", async () => {
    const key = randomUUID();
    const item = await keptBy(() => createProject("in-flight", key));
    const { answer, ...inFlight } = item;
    expect(answer).toMatchObject({ status: 200 });
    const now = Math.floor(Date.now() / 1000);
    await rawItems.put({ ...inFlight, releasedAt: now + 60 });
    expectError(await createProject("in-flight", key), 409, "in flight");
    await rawItems.put({ ...inFlight, releasedAt: now - 1 });
    const again = await createProject("in-flight", key);
    expect(isReplay(again)).toBe(false);
    expectError(again, 400, "worked on again, and so a duplicate");
  });

  test("is held until 45 seconds after the last sign of life of the work", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const engine = currentEngine();
    if (engine === undefined) throw new Error("the table is in no file");
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const kept: string[] = [];
    provideTable(
      new TableClient({
        ...faultyEngine(engine, { strikes: () => undefined }),
        transact: async (writes) => {
          const [first] = writes;
          if (first?.kind === "put" && first.item.type === "idempotency") kept.push(first.item.pk);
          else await held;
          return engine.transact(writes);
        },
      }),
    );
    try {
      const answer = createProject("slow", randomUUID());
      await vi.waitFor(() => expect(kept).toHaveLength(1));
      const claimed = async () =>
        (await rawItems.all()).find(({ pk }) => pk === kept[0]) as RawItem & { releasedAt: number; answer?: unknown };
      const now = Math.floor(Date.now() / 1000);
      await vi.waitFor(async () => expect((await claimed()).releasedAt - now).toBeLessThanOrEqual(46));
      const { answer: none, ...item } = await claimed();
      expect(none).toBeUndefined();
      await rawItems.put({ ...item, releasedAt: now + 1 });
      vi.advanceTimersByTime(15_000);
      await vi.waitFor(async () => expect((await claimed()).releasedAt).toBeGreaterThanOrEqual(now + 45));
      goOn();
      expect((await answer).status).toBe(200);
      expect((await claimed()).releasedAt).toBeGreaterThan(now + 3600);
      vi.advanceTimersByTime(60_000);
      expect((await claimed()).releasedAt).toBeGreaterThan(now + 3600);
    } finally {
      goOn();
      provideTable(new TableClient(engine));
      vi.useRealTimers();
    }
  });

  test("is held for 24 hours with its answer", async () => {
    const now = Math.floor(Date.now() / 1000);
    const item = await keptBy(() => createProject("held", randomUUID()));
    expect(Number(item.releasedAt) - now).toBeGreaterThanOrEqual(24 * 3600);
    expect(Number(item.releasedAt) - now).toBeLessThan(24 * 3600 + 60);
    expect(Number(item.ttl) - now).toBeGreaterThanOrEqual(24 * 3600);
  });

  test("sent twenty times at once has the work done once", async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createProject("at-once", key)));
    expect(answers.filter((answer) => answer.status === 200 && !isReplay(answer))).toHaveLength(1);
    for (const answer of answers) expect([200, 409], answer.text).toContain(answer.status);
  });

  test("belongs to its caller, method, path and query", async () => {
    const key = randomUUID();
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";
    const body = { service_name: "web", yaml, type: "k8s" };
    const other = await storedPerson("other", { namespace: "demo", roles: { "project-admin": [] } });
    const path = "/openapi/service/yaml/raw?projectKey=demo";
    expect((await createProject("demo-two", randomUUID())).status).toBe(200);
    expect((await send("POST", path, { key, body })).status).toBe(200);
    const elsewhere = [
      await send("POST", path, { key, body, token: other.token }),
      await send("POST", "/openapi/service/yaml/raw?projectKey=demo-two", { key, body }),
      await send("POST", "/openapi/service/yaml/production/raw?projectKey=demo", { key, body }),
      await send("PUT", "/openapi/service/yaml/web?projectKey=demo", { key, body }),
    ];
    expect(elsewhere.map(isReplay)).toEqual([false, false, false, false]);
    expect(elsewhere.map(({ status }) => status)).toEqual([400, 200, 200, 200]);
    expect(isReplay(await send("POST", path, { key, body }))).toBe(true);
  });

  test("keeps no 404: what is missing now may be there at the next try", async () => {
    const key = randomUUID();
    const body = { type: "k8s", yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: late\n" };
    const path = "/openapi/service/yaml/late?projectKey=demo";
    expectError(await send("PUT", path, { key, body }), 404, "not there yet");
    const made = { service_name: "late", yaml: body.yaml };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=demo", { body: made })).status).toBe(200);
    const again = await send("PUT", path, { key, body });
    expect(again.status, again.text).toBe(200);
    expect(isReplay(again)).toBe(false);
  });

  test("keeps nothing from 500 on", async () => {
    const key = randomUUID();
    const path = "/openapi/quality/codescan/none/task?projectKey=demo";
    const body = {};
    for (let turn = 0; turn < 2; turn++) {
      const answer = await send("POST", path, { key, body });
      expectError(answer, 500, "none");
      expect(isReplay(answer)).toBe(false);
    }
  });

  test("keeps no answer over 64 KB", async () => {
    const key = randomUUID();
    const project_names = Array.from({ length: 1000 }, (_, at) => `${"x".repeat(58)}-${String(at).padStart(4, "0")}`);
    const kube_config = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
    const body = { name: "wide", type: "kubeconfig", kube_config, project_names };
    const first = await send("POST", "/openapi/system/cluster", { key, body });
    expect(first.status).toBe(200);
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(64 * 1024);
    const second = await send("POST", "/openapi/system/cluster", { key, body });
    expect(isReplay(second)).toBe(false);
    expect(second.status).toBe(400);
  });

  test("is not used up by a request that is refused or wrong", async () => {
    const key = randomUUID();
    const person = await storedPerson("late administrator");
    const body = { service_name: "granted", yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: granted\n" };
    const path = "/openapi/service/yaml/raw?projectKey=demo";
    expectError(await send("POST", path, { key, body, token: person.token }), 403, "not permitted yet");
    await giveRoles(person.uid, [{ namespace: "demo", roles: { "project-admin": [] } }]);
    expectError(await send("POST", path, { key, body: { ...body, yaml: 1 }, token: person.token }), 400, "wrong");
    expect((await send("POST", path, { key, body, token: person.token })).status).toBe(200);
  });

  test("must be 1 to 255 printable ASCII characters", async () => {
    for (const key of ["", "x".repeat(256), "é"]) {
      const { extra } = expectError(await createProject("never", key), 400, key);
      expect(extra.problems).toEqual([expect.objectContaining({ in: "header", path: "Idempotency-Key" })]);
    }
    expect((await createProject("long-key", ` ${"~".repeat(253)}`)).status).toBe(200);
  });

  test("means nothing to a GET", async () => {
    const key = randomUUID();
    const path = "/openapi/projects/project";
    for (let turn = 0; turn < 2; turn++) expect(isReplay(await send("GET", path, { key }))).toBe(false);
  });

  test("leaves no token and no password behind that the table could give away", async () => {
    const account = { account: "grace", password: "Passw0rd-that-nobody-knows" };
    const created = { ...account, name: "Grace" };
    expect((await send("POST", "/api/v1/users", { key: randomUUID(), body: created })).status).toBe(200);
    const key = randomUUID();
    const signIn = () =>
      send<{ uid: string; token: string }>("POST", "/api/v1/login", { key, body: account, token: null });
    const [first, second] = [await signIn(), await signIn()];
    expect(second.status).toBe(200);
    expect(isReplay(second)).toBe(false);
    expect(second.json.token).not.toBe(first.json.token);
    const path = `/api/v1/users/${second.json.uid}/token`;
    const made = await send<{ token: string }>("POST", path, { key, token: second.json.token });
    const table = JSON.stringify(await itemsOf());
    for (const secret of [first.json.token, second.json.token, made.json.token, account.password, adminToken])
      expect(table.includes(secret)).toBe(false);
  });
});
