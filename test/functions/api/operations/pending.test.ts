import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { currentEngine } from "../../../../infra/local/table/startTable.ts";
import { type PendingOperation, pendingBefore } from "../../../../shared/access/audit/store/pending.ts";
import { verifyOperations } from "../../../../shared/access/audit/verifyOperations.ts";
import { StoreBusy, type TableEngine } from "../../../../shared/base/store/engine.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import type { Key } from "../../../../shared/base/store/keys/keys.ts";
import { recordAllStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import { provideTable } from "../../../../shared/base/store/table.ts";
import { TableClient } from "../../../../shared/base/store/tableClient.ts";
import type { Update, Write } from "../../../../shared/base/store/writes.ts";
import { hasDynamoDb } from "../../../harness/givenTable.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

interface Listed {
  total: number;
  operation_logs: { request_id: string; status: number; detail: string; method: string }[];
}

let slipway: Slipway;
let engine: TableEngine;

beforeAll(async () => {
  slipway = await startSlipway();
  if (!hasDynamoDb) engine = currentEngine() as TableEngine;
  expect((await createProject("demo")).status).toBe(200);
});

afterEach(() => {
  vi.restoreAllMocks();
  if (!hasDynamoDb) provideTable(new TableClient(engine));
});

afterAll(async () => {
  goOn();
  await slipway.close();
});

const createProject = (key: string, token?: string): Promise<Answer> =>
  slipway.call("POST", "/openapi/projects/project", {
    body: { project_name: key, project_key: key, project_type: "yaml" },
    ...(token !== undefined && { token }),
  });

async function listed(search = "searchType=all"): Promise<Listed> {
  return (await slipway.call<Listed>("GET", `/openapi/system/operation?${search}&perPage=100&page=1`)).json;
}

const open = (): Promise<PendingOperation[]> => pendingBefore(nowSeconds() + 1, 100);

/** As after a start: whatever requests of before left is theirs no more. */
const reconcileAll = () => reconcile({ requestsEndedBefore: nowSeconds() + 1 });

type Writing = readonly Write[] | Update;
const keyOf = (write: Write): Key => (write.kind === "put" ? write.item : write.key);
const isOf = (writing: Writing, pk: string): boolean =>
  (Array.isArray(writing) ? writing : [writing]).some((write) => keyOf(write).pk.startsWith(pk));

/** The table, whose writes meet something before or after they are done. */
function meeting(meet: {
  before?(writing: Writing): Promise<void>;
  after?(writing: Writing): Promise<void>;
}): TableClient {
  return new TableClient({
    get: (...given) => engine.get(...given),
    getBatch: (...given) => engine.getBatch(...given),
    queryPage: (...given) => engine.queryPage(...given),
    transact: async (writes) => {
      await meet.before?.(writes);
      const outcome = await engine.transact(writes);
      await meet.after?.(writes);
      return outcome;
    },
    update: async (write, answersItem) => {
      await meet.before?.(write);
      const outcome = await engine.update(write, answersItem);
      await meet.after?.(write);
      return outcome;
    },
  });
}

/** Until the end of the suite: a server does not close while it answers. */
const { promise: never, resolve: goOn } = Promise.withResolvers<void>();

async function expectWhole(): Promise<void> {
  expect(await open()).toEqual([]);
  expect(await verifyOperations()).toMatchObject({ findings: [], problems: [] });
  const { total, operation_logs: logs } = await listed();
  expect(logs).toHaveLength(Math.min(total, 100));
}

describe.skipIf(hasDynamoDb)("a mutation", () => {
  test("is noted before its work and closed behind it, in one record", async () => {
    let seen: PendingOperation[] = [];
    provideTable(
      meeting({
        before: async (writing) => {
          if (isOf(writing, "project#noted")) seen = await open();
        },
      }),
    );
    const { status, headers } = await createProject("noted");
    expect(status).toBe(200);
    expect(seen).toHaveLength(1);
    const origin = expect.objectContaining({ requestId: headers.get("x-request-id") });
    const said = { username: "admin", function: "Project", method: "Add", status: 0, detail: "noted", origin };
    expect(seen[0]?.summary).toMatchObject({ ...said, function: expect.any(String), method: expect.any(String) });
    expect(await open()).toEqual([]);
    const logs = (await listed()).operation_logs.filter((one) => one.request_id === headers.get("x-request-id"));
    expect(logs).toHaveLength(1);
    await expectWhole();
  });

  test("that is refused, previewed or only read is not noted", async () => {
    const { token } = await newPerson("nobody");
    let noted = 0;
    provideTable(
      meeting({
        before: async (writing) => {
          if (isOf(writing, "pending-operations")) noted += 1;
        },
      }),
    );
    expect((await createProject("forbidden", token)).status).toBe(403);
    expect((await createProject("not a key!")).status).toBe(400);
    expect((await slipway.call("GET", "/openapi/projects/project")).status).toBe(200);
    expect(noted).toBe(0);
    await expectWhole();
  });

  test("whose note cannot be written does nothing, and says when to come again", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    provideTable(
      meeting({
        before: async (writing) => {
          if (isOf(writing, "pending-operations")) throw new StoreBusy("throttled");
        },
      }),
    );
    const refused = await createProject("unnoted");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    provideTable(new TableClient(engine));
    expect((await slipway.call("GET", "/openapi/projects/project/detail?projectKey=unnoted")).status).toBe(404);
    await expectWhole();
  });

  test("whose record cannot be stored is answered, and the reconciler closes it as it was answered", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    provideTable(
      meeting({
        before: async (writing) => {
          if (isOf(writing, "operation-log")) throw new StoreBusy("throttled");
        },
      }),
    );
    const { status, headers } = await createProject("throttled");
    expect(status).toBe(200);
    provideTable(new TableClient(engine));
    expect(await open()).toMatchObject([{ answered: 200 }]);
    await reconcile();
    expect(await open(), "it is too young").toHaveLength(1);
    await Promise.all([reconcileAll(), reconcileAll()]);
    const logs = (await listed()).operation_logs.filter((one) => one.request_id === headers.get("x-request-id"));
    expect(logs).toMatchObject([{ status: 200, detail: "throttled" }]);
    await expectWhole();
  });

  test("that takes so long that it was given up says in a second record how it ended", async () => {
    provideTable(
      meeting({
        before: async (writing) => {
          if (isOf(writing, "project#slow")) await reconcileAll();
        },
      }),
    );
    const { status, headers } = await createProject("slow");
    expect(status).toBe(200);
    const logs = (await listed()).operation_logs.filter((one) => one.request_id === headers.get("x-request-id"));
    expect(logs.map((one) => [one.status, one.detail])).toEqual([
      [200, "slow"],
      [0, "outcome unknown"],
    ]);
    await expectWhole();
  });

  /** Writes of a change of a service from its note to its record: two of them are at the same moment. */
  const writes = 6;

  test.each(Array.from({ length: writes }, (_, at) => at + 1))(
    "that is killed after its write %i has one record, and no number is lost",
    async (last) => {
      const project = `killed-${last}`;
      const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\n";
      const path = `/openapi/service/yaml/config?projectKey=${project}`;
      const change = () => slipway.call("PUT", path, { body: { type: "k8s", yaml: `${yaml}data: {text: a}\n` } });
      expect((await createProject(project)).status).toBe(200);
      const service = { service_name: "config", yaml };
      await slipway.call("POST", `/openapi/service/yaml/raw?projectKey=${project}`, { body: service });
      const before = await listed();
      let done = 0;
      let isKilled = false;
      const dies = async (): Promise<void> => {
        if (isKilled) await never;
      };
      provideTable(
        meeting({
          before: dies,
          after: async () => {
            done += 1;
            isKilled = done >= last;
            await dies();
          },
        }),
      );
      void change();
      await waitFor("the write", async () => done >= last);
      provideTable(new TableClient(engine));
      expect(await open()).toHaveLength(last < writes ? 1 : 0);
      await reconcileAll();
      const after = await listed();
      expect(after.total).toBe(before.total + 1);
      const [newest] = after.operation_logs;
      // From the fifth write on, its lists say how it ended.
      expect(newest).toMatchObject({ status: last < 5 ? 0 : 200, method: "Update Test Service Config" });
      for (const search of [`searchType=project&projectKey=${project}`, "searchType=user&username=admin"]) {
        const found = (await listed(search)).operation_logs.filter((one) => one.request_id === newest?.request_id);
        expect(found, search).toHaveLength(1);
      }
      await expectWhole();
    },
  );
});

describe("the record of a mutation", () => {
  test.skipIf(!hasDynamoDb)("costs at most 20 units beside the counting of its numbers", async () => {
    const { calls } = await recordAllStoreCalls(async () => expect((await createProject("costs")).status).toBe(200));
    const written = calls.filter(({ kind }) => kind === "write").map(({ capacityUnits }) => capacityUnits);
    // The note, the project, places in lists, the record.
    expect(written).toHaveLength(4);
    const [note = 0, , places = 0, record = 0] = written;
    expect(note + places + record).toBeLessThanOrEqual(20);
  });
});
