import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationRecord as Stored } from "../../../../shared/access/audit/rules/operationRecord.ts";
import { logCounts } from "../../../../shared/access/audit/store/counts.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create } from "../../../../shared/base/store/writes.ts";
import { addOperations, someOperation } from "../../../harness/operations.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { type Listed, listEnvironment, listOperations } from "./operationCalls.ts";

let slipway: Slipway;
let ada: Person;

const details = (json: Listed) => json.operation_logs.map(({ detail }) => detail);
const list = async (search: string) => {
  const answer = await listOperations(slipway, search);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};
const listEnv = async (search: string) => {
  const answer = await listEnvironment(slipway, search);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};

const record = (at: number): Partial<Stored> => ({
  username: ["Grace", "Grace Hopper", "Linus"][at % 3] ?? "",
  projectKey: ["shop", "shop-two", ""][at % 3] ?? "",
  function: at % 2 === 0 ? "Workflow View" : "Version Delivery",
  scene: at % 3 === 2 ? "" : "environment",
  targets: at % 3 === 2 ? [] : ["dev"],
  detail: `made ${at}`,
  status: at % 5 === 0 ? 409 : 200,
  createdAt: 1_700_000_000 + at,
});

/** Before there were chains and indexes, a record stood in the log with its fields in the item itself. */
async function addOld(): Promise<void> {
  for (const at of [1, 2, 3]) {
    const old = { ...someOperation, username: "Grace", projectKey: "shop", scene: "environment", targets: ["dev"] };
    const item = { ...old, function: "Workflow View", status: 409, detail: `old ${at}` };
    await table().write(create({ ...keys.operationLog(at), type: "operation-log", sequence: at, ...item }));
    await table().add(logCounts, 1);
  }
}

const made = 60;

beforeAll(async () => {
  slipway = await startSlipway();
  await addOld();
  await addOperations(made, (at) => ({ ...someOperation, ...record(at) }));
  ada = await newPerson("ada");
});

afterAll(() => slipway.close());

/** What a search finds among the records of the fixture, newest first, the old ones last. */
function expected(isMeant: (made: Partial<Stored>) => boolean, old = false): string[] {
  const found = Array.from({ length: made }, (_, at) => record(at))
    .filter(isMeant)
    .map(({ detail }) => String(detail));
  return [...found.reverse(), ...(old ? ["old 3", "old 2", "old 1"] : [])];
}

describe("the list of the operation log", () => {
  const searches: readonly [search: string, isMeant: (made: Partial<Stored>) => boolean, old: boolean][] = [
    ["searchType=user&username=Linus", ({ username }) => username === "Linus", false],
    ["searchType=user&username=Grace", ({ username }) => username !== "Linus", true],
    ["searchType=user&username=Hopper", ({ username }) => username === "Grace Hopper", false],
    ["searchType=project&projectKey=two", ({ projectKey }) => projectKey === "shop-two", false],
    ["searchType=project&projectKey=sho", ({ projectKey }) => projectKey !== "", true],
    ["searchType=function&function=Delivery", (made) => made.function === "Version Delivery", false],
    ["searchType=function&function=flow%20View", (made) => made.function === "Workflow View", true],
    ["searchType=status&status=409", ({ status }) => status === 409, true],
  ];

  test.each(searches)("of %s holds what matches, newest first, page by page", async (search, isMeant, old) => {
    const wanted = expected(isMeant, old);
    expect(wanted.length).toBeGreaterThan(7);
    const found: string[] = [];
    for (let page = 1; found.length < wanted.length; page++) {
      const json = await list(`${search}&perPage=7&page=${page}`);
      expect(json.total).toBe(wanted.length);
      expect(json.operation_logs.length).toBeGreaterThan(0);
      found.push(...details(json));
    }
    expect(found).toEqual(wanted);
    expect(details(await list(`${search}&perPage=7&page=50`))).toEqual([]);
  });

  test("is of everything for `all`, and where the active filter is empty", async () => {
    const all = await list("searchType=all&perPage=100&page=1");
    expect(all.total).toBe(all.operation_logs.length);
    expect(details(all).slice(-3 - made)).toEqual(expected(() => true, true));
    for (const search of ["user&username=", "project&projectKey=", "function&function=", "status&status=0"])
      expect(await list(`searchType=${search}&perPage=100&page=1`)).toEqual(all);
  });

  test("shows every field of a record", async () => {
    const { operation_logs } = await list("searchType=user&username=Hopper&perPage=1&page=1");
    expect(operation_logs).toEqual([
      {
        username: "Grace Hopper",
        project_key: "shop-two",
        method: "Update",
        function: "Workflow View",
        scene: "environment",
        targets: ["dev"],
        detail: "made 58",
        request_body: "{}",
        body_type: "json",
        status: 200,
        created_at: 1_700_000_058,
        ...{ token_id: "", token_name: "", request_id: "", address: "", agent: "" },
      },
    ]);
  });

  test("ignores the parameters of other searches, takes page sizes as the contract has them", async () => {
    expect((await list("searchType=status&status=409&username=nobody&function=none&page=1")).total).toBe(15);
    expect((await list("searchType=all&perPage=0&page=0")).operation_logs).toHaveLength(50);
    expect((await list("searchType=all")).operation_logs).toHaveLength(20);
    expect((await list("searchType=all&pageSize=3&pageNum=2")).operation_logs).toHaveLength(3);
  });

  test.each([
    ["", "invalid search type: "],
    ["searchType=Project", "invalid search type: Project"],
    ["searchType=detail", "invalid search type: detail"],
    ["searchType=all&perPage=many", "perPage"],
    ["searchType=all&page=-1", "page"],
    ["searchType=status", "status"],
    ["searchType=status&status=ok", "status"],
  ])("refuses %s with code 6652", async (search, named) => {
    const { status, json } = await listOperations(slipway, search);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 6652, description: expect.stringContaining(named) });
  });

  test("asks for more where a text means more than eight values, or a page lies too deep to merge", async () => {
    await addOperations(9, (at) => ({ ...someOperation, username: `Someone ${at}` }));
    const tooMany = await listOperations(slipway, "searchType=user&username=Someone&perPage=20&page=1");
    expect(tooMany.json).toMatchObject({ code: 6652, description: expect.stringContaining("be more specific") });
    expect((await list("searchType=user&username=Someone%203&perPage=20&page=1")).total).toBe(1);
    const tooDeep = await listOperations(slipway, "searchType=user&username=Grace&perPage=1000&page=11");
    expect(tooDeep.json).toMatchObject({ code: 6652, description: expect.stringContaining("be more specific") });
  });

  test("knows a record the moment its request is answered, refused ones included", async () => {
    const body = { key: "of-ada" };
    expect((await slipway.call("POST", "/api/aslan/system/labels", { body, token: ada.token })).status).toBe(403);
    for (const search of [
      "searchType=user&username=ada",
      "searchType=function&function=Label",
      "searchType=status&status=403",
    ]) {
      const { operation_logs } = await list(`${search}&perPage=1&page=1`);
      expect(operation_logs, search).toMatchObject([
        { username: "ada", function: "Label", detail: "of-ada", status: 403 },
      ]);
    }
  });
});

describe("the list of an environment's operation log", () => {
  const shop = "projectKey=shop&envName=dev";

  test("holds what was done in this environment of this project, newest first, page by page", async () => {
    const wanted = expected(({ projectKey }) => projectKey === "shop", true);
    const found: string[] = [];
    for (let page = 1; found.length < wanted.length; page++) {
      const json = await listEnv(`${shop}&searchType=all&perPage=6&page=${page}`);
      expect(json.total).toBe(wanted.length);
      found.push(...details(json));
    }
    expect(found).toEqual(wanted);
    expect((await listEnv("projectKey=shop&envName=de&searchType=all&perPage=6&page=1")).total).toBe(0);
    expect((await listEnv("projectKey=sho&envName=dev&searchType=all&perPage=6&page=1")).total).toBe(0);
  });

  test.each([
    ["searchType=user&username=race", ({ username }: Partial<Stored>) => username === "Grace", true],
    ["searchType=function&function=Delivery", (made: Partial<Stored>) => made.function === "Version Delivery", false],
    ["searchType=status&status=409", ({ status }: Partial<Stored>) => status === 409, true],
    [
      "searchType=detail&detail=made%201",
      ({ detail }: Partial<Stored>) => detail?.startsWith("made 1") === true,
      false,
    ],
  ])("is searched by %s", async (search, isMeant, old) => {
    const wanted = expected((made) => made.projectKey === "shop" && isMeant(made), old);
    const json = await listEnv(`${shop}&${search}&perPage=100&page=1`);
    expect(details(json)).toEqual(wanted);
    expect(json.total).toBe(wanted.length);
    expect(details(await listEnv(`${shop}&${search}&perPage=2&page=2`))).toEqual(wanted.slice(2, 4));
  });

  test("is searched 2,000 records back and no further", async () => {
    const inEnvironment = { ...someOperation, projectKey: "deep", scene: "environment", targets: ["dev"] };
    await addOperations(2001, (at) => ({ ...inEnvironment, detail: at < 2 ? `early ${at}` : "late" }));
    const deep = "projectKey=deep&envName=dev&perPage=5&page=1";
    expect(details(await listEnv(`${deep}&searchType=detail&detail=early`))).toEqual(["early 1"]);
    expect((await listEnv(`${deep}&searchType=all`)).total).toBe(2001);
  });

  test.each([
    [`${shop}&searchType=project`, 6652],
    [`${shop}`, 6652],
    [`${shop}&searchType=all&perPage=x`, 6652],
    ["projectKey=shop&searchType=all", 400],
    ["envName=dev&searchType=all", 400],
  ])("refuses %s with code %i", async (search, code) => {
    const { status, json } = await listEnvironment(slipway, search);
    expect([status, json.code]).toEqual([400, code]);
  });

  test("is open to administrators of the project, and to nobody else of it", async () => {
    const admin = await newPerson("owner", [{ namespace: "shop", roles: { "project-admin": [] } }]);
    const { status } = await listEnvironment(slipway, `${shop}&searchType=all`, admin.token);
    expect(status).toBe(200);
    expect((await listEnvironment(slipway, `${shop}&searchType=all`, ada.token)).status).toBe(403);
    const elsewhere = await listEnvironment(slipway, "projectKey=shop-two&envName=dev&searchType=all", admin.token);
    expect(elsewhere.status).toBe(403);
  });

  test("keeps apart what names with separators in them would join", async () => {
    const of = (projectKey: string, env: string) => ({
      ...someOperation,
      projectKey,
      scene: "environment",
      targets: [env],
    });
    await addOperations(2, (at) => (at === 0 ? of("a#b", "c") : of("a", "b#c")));
    expect((await listEnv("projectKey=a%23b&envName=c&searchType=all")).total).toBe(1);
    expect((await listEnv("projectKey=a&envName=b%23c&searchType=all")).total).toBe(1);
  });
});
