import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DatabaseServer, hasMariadb, hasPostgresql, startMariadb, startPostgresql } from "../harness/databases.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const path = "/api/aslan/system/dbinstance";
const credential = "credential-of-the-start";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
});

afterAll(() => slipway?.close());

/** How each database says it. */
const kinds = [
  {
    type: "postgresql",
    has: hasPostgresql,
    start: startPostgresql,
    sleep: "SELECT pg_sleep(60)",
    running: "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)'",
    errors: {
      login: 'password authentication failed for user "slipway"',
      table: 'relation "missing" does not exist',
      key: 'duplicate key value violates unique constraint "item_pkey"',
    },
  },
  {
    type: "mariadb",
    has: hasMariadb,
    start: startMariadb,
    sleep: "SELECT SLEEP(60)",
    running: "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(60)%'",
    errors: {
      login: "Access denied for user 'slipway'@",
      table: "Table 'shop.missing' doesn't exist",
      key: "Duplicate entry '1' for key 'PRIMARY'",
    },
  },
] as const;

describe.each(kinds)("statements of $type", ({ type, has, start, sleep, running, errors }) => {
  let server: DatabaseServer;
  let ids: Record<"right" | "wrong" | "closed" | "foreign", string>;

  const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
  const logOf = async (workflow: string, taskId: number, name: string) =>
    (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${name}`)).text;
  const job = (name: string, sql: string, more: object = {}) => ({
    ...{ name, type: "sql", spec: { id: ids.right, type, sql, source: "fixed" } },
    ...more,
  });
  const named = (name: string) => `${type}-${name}`;
  const make = (name: string, jobs: object[], more: object = {}) =>
    makeWorkflow("shop", { name: named(name), stages: [{ name: "one", parallel: true, jobs }], ...more });
  const rowsOf = (table: string) => Number(server.ask(`SELECT count(*) FROM ${table}`));

  beforeAll(async () => {
    if (!has) return;
    server = await start();
    server.ask("CREATE TABLE item (id int PRIMARY KEY, name varchar(100))");
    if (type === "postgresql") server.ask("ALTER TABLE item OWNER TO slipway");
    const { port, username, password } = server;
    const add = async (name: string, more: object = {}) => {
      const own = { name: named(name), type, host: "127.0.0.1", port, username, password, database: "shop" };
      const body = { ...own, projects: ["shop"], ...more };
      const { json, text } = await slipway.call<{ id: string }>("POST", path, { body });
      expect(text).toContain("success");
      return json.id;
    };
    ids = {
      right: await add("right"),
      wrong: await add("wrong", { password: "another" }),
      closed: await add("closed", { port: "1" }),
      foreign: await add("foreign", { projects: ["another"] }),
    };
  });

  afterAll(async () => {
    await server?.close();
  });

  test.runIf(has)("run in order, in one transaction, and give rows to later jobs", async () => {
    const params = [{ name: "token", type: "string", value: "", is_credential: true }];
    const sql = `-- first; of all
INSERT INTO item VALUES (10, 'a;b'), (11, '{{.workflow.params.token}}');
UPDATE item SET name = 'c' WHERE id = 10;
SELECT id, name FROM item WHERE id IN (10, 11) ORDER BY id;`;
    const after = {
      name: "after",
      type: "freestyle",
      spec: { script: "echo '{{.job.db.output.ROWS_AFFECTED}} {{.job.db.output.RESULT}}'" },
    };
    const stages = [
      { name: "one", jobs: [job("db", sql)] },
      { name: "two", jobs: [after] },
    ];
    await makeWorkflow("shop", { name: named("whole"), params, stages });
    const id = await tasks.started(named("whole"), ["db", "after"], {
      parameters: [{ name: "token", type: "string", value: credential }],
    });
    const task = await tasks.end(named("whole"), id, 60);
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual(Array(2).fill(["passed", ""]));
    expect(server.ask("SELECT name FROM item WHERE id = 11").trim()).toBe(credential);
    const [db] = jobsOf(task);
    const result = (status: string, rows_affected: number) =>
      expect.objectContaining({ status, rows_affected, elapsed_time: expect.any(Number) });
    expect(db?.spec).toMatchObject({
      ...{ id: ids.right, type },
      results: [result("success", 2), result("success", 1), result("success", 0)],
    });
    const log = await logOf(named("whole"), id, "db");
    expect(log).toContain("INSERT INTO item VALUES (10, 'a;b'), (11, '******')\nrows affected: 2\n");
    expect(log).toContain('{"id":"10","name":"c"}\n');
    expect(await logOf(named("whole"), id, "after")).toContain('3 [{"id":"10","name":"c"},');
    for (const secret of [server.password, credential]) expect(`${log}${JSON.stringify(db)}`).not.toContain(secret);
  });

  test.runIf(has)("are rolled back by a failure, which says which it was and what is kept", async () => {
    const failing = "INSERT INTO item VALUES (1, 'one'); INSERT INTO item VALUES (1, 'twice'); DELETE FROM item";
    const before = rowsOf("item");
    const at = (name: string, id: string) => ({
      ...job(name, "SELECT 1"),
      spec: { ...job(name, "SELECT 1").spec, id },
    });
    const jobs = [
      job("twice", failing),
      job("missing", "INSERT INTO item VALUES (2, 'two'); SELECT * FROM missing"),
      job("ends", "INSERT INTO item VALUES (3, 'three'); COMMIT; SELECT 1"),
      job("empty", "-- nothing;"),
      at("wrong", ids.wrong),
    ];
    await make("refused", jobs);
    const id = await tasks.started(
      named("refused"),
      jobs.map(({ name }) => name),
    );
    const task = await tasks.end(named("refused"), id, 60);
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual([
      ["failed", `statement 2 of 3 failed: ${errors.key}; nothing of it is kept`],
      ["failed", `statement 2 of 2 failed: ${errors.table}; nothing of it is kept`],
      ["failed", "statement 2 is COMMIT: the statements of a job are one transaction already"],
      ["failed", "there is no statement in sql"],
      ["failed", expect.stringContaining(errors.login)],
    ]);
    expect(rowsOf("item")).toBe(before);
    expect(jobsOf(task)[0]?.spec.results).toMatchObject([
      { status: "success" },
      { status: "failed" },
      { status: "not_exec" },
    ]);
  });

  test.runIf(has)("that run are ended and rolled back by a cancel", async () => {
    await make("slow", [job("db", `INSERT INTO item VALUES (20, 'x'); ${sleep}`)]);
    const id = await tasks.started(named("slow"), ["db"]);
    await waitFor("the statement to run", async () => Number(server.ask(running)) > 0, 30);
    await tasks.cancel(named("slow"), id);
    const task = await tasks.end(named("slow"), id, 30);
    expect([task.status, jobsOf(task)[0]?.status]).toEqual(["cancelled", "cancelled"]);
    await waitFor("the statement to end", async () => Number(server.ask(running)) === 0, 10);
    expect(Number(server.ask("SELECT count(*) FROM item WHERE id = 20"))).toBe(0);
    expect(await logOf(named("slow"), id, "db")).toMatch(/statement 2 of 2 was stopped; nothing of it is kept\n$/);
  });

  test.runIf(has)("run again by a retry, with what a start says", async () => {
    const retries = { error_policy: { policy: "retry", maximum_retry: 1 } };
    await make("again", [{ ...job("db", "", retries), spec: { id: "", source: "runtime" } }]);
    const inputs = [
      { job_name: "db", parameters: { database_name: named("right"), sql: "INSERT INTO later VALUES (1)" } },
    ];
    const id = await tasks.started(named("again"), [], { inputs });
    expect((await tasks.end(named("again"), id, 60)).status).toBe("failed");
    server.ask("CREATE TABLE later (id int)");
    if (type === "postgresql") server.ask("ALTER TABLE later OWNER TO slipway");
    await tasks.retry(named("again"), id);
    await tasks.until(named("again"), id, "running again", ({ status }) => status !== "failed");
    const task = await tasks.end(named("again"), id, 60);
    expect(jobsOf(task)[0]).toMatchObject({ status: "passed", error: "" });
    expect(rowsOf("later")).toBe(1);
  });

  test.runIf(has)("of definitions are kept where the database commits by itself", async () => {
    await make("defines", [
      job("db", "CREATE TABLE made (id int); INSERT INTO made VALUES (1); SELECT * FROM missing"),
    ]);
    const id = await tasks.started(named("defines"), ["db"]);
    const [db] = jobsOf(await tasks.end(named("defines"), id, 60));
    const fate =
      type === "postgresql"
        ? "nothing of it is kept"
        : "MySQL commits at statements that define things, and keeps what came before them";
    expect(db?.error).toBe(`statement 3 of 3 failed: ${errors.table}; ${fate}`);
  });

  test.runIf(has)("start for databases alone that are there and are for the project", async () => {
    const spec = (more: object) => ({ ...job("db", "SELECT 1"), spec: { ...job("db", "SELECT 1").spec, ...more } });
    const cases: readonly [object, string][] = [
      [{ id: ids.foreign }, `database ${named("foreign")} is not for project shop`],
      [{ id: "f".repeat(24) }, "there is no database with the id"],
      [{ type: type === "postgresql" ? "mysql" : "postgresql" }, `the database ${named("right")} is ${type}`],
      [{ sql: " " }, "job db has no statements: set sql"],
    ];
    for (const [at, [more, words]] of cases.entries()) {
      await make(`not-${at}`, [spec(more)]);
      const { status, text } = await tasks.start(named(`not-${at}`), ["db"]);
      expect([status, text]).toEqual([400, expect.stringContaining(words)]);
    }
  });
});

test("an address that is not allowed is not reached", async () => {
  const own = { type: "postgresql", port: 5432, username: "u", password: "p", database: "d", projects: ["shop"] };
  const refused = await slipway.call("POST", path, { body: { ...own, name: "metadata", host: "169.254.169.254" } });
  expect(refused.json).toMatchObject({ code: 400 });
  const body = { ...own, name: "private", host: "10.1.2.3" };
  const { json } = await slipway.call<{ id: string }>("POST", path, { body });
  const job = { name: "db", type: "sql", spec: { id: json.id, sql: "SELECT 1" } };
  await makeWorkflow("shop", { name: "private", stages: [{ name: "one", jobs: [job] }] });
  const id = await tasks.started("private", ["db"]);
  const [db] = (await tasks.end("private", id, 60)).stages.flatMap(({ jobs }) => jobs);
  expect(db?.error).toContain("10.1.2.3: a private address is not allowed");
});
