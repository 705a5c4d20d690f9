import { nowSeconds } from "../../../base/store/ids.ts";
import { dialectOf } from "../../../integrations/rules/databaseTypes.ts";
import {
  commitsByItself,
  type SqlDialect,
  sqlStatements,
  transactionWord,
} from "../../../integrations/rules/sqlStatements.ts";
import { ServerRefused, ServerUnavailable } from "../../../integrations/server/serverErrors.ts";
import { openSql, type SqlAccess } from "../../../integrations/sql/openSql.ts";
import { mostRows, type SqlAnswer, type SqlSession } from "../../../integrations/sql/sqlSession.ts";
import type { JobEnd } from "../../records/task.ts";
import { openIntegration } from "../outside/openIntegration.ts";
import { outsideRunner } from "../outside/outsideRunner.ts";
import type { OutsideWork } from "../outside/outsideWork.ts";
import { failed, type JobRun, passed, stopped } from "../runner.ts";
import { databaseSort, type SqlRun } from "./planner.ts";

interface Asked {
  /** The statements were sent, once; the database may have run them. */
  asked: true;
}

/** All statements of a job together: a function may run a little longer. */
const mostSeconds = 840;
const lookMilliseconds = 1000;
/** Outputs of a job have 4096 bytes together, as JSON (contract W 7). */
const longestResult = 3584;
const longestLine = 4096;

/** Runs statements in order, in one transaction that a failure, a cancel and the end of its time roll back (contract W 5). */
export const runner = outsideRunner<Asked>({
  prepare: async ({ spec }) => ({ results: [], sql: spec.sql }),
  work: async (run, outside) => {
    const access = await accessOf(run, outside);
    const { sql } = run.run as unknown as SqlRun;
    if (outside.state.asked)
      return failed(
        "it is not known whether the statements were run: look at the database before the job is run again",
      );
    const statements = sqlStatements(sql, access.dialect);
    const problem = problemOf(statements, access.dialect);
    if (problem !== undefined) return failed(problem);
    const session = await openSql(access);
    try {
      outside.state = { ...outside.state, asked: true };
      if (!(await outside.keep())) return stopped("cancelled");
      return await new Statements(run, outside, access, session, statements).ended();
    } finally {
      await session.close();
    }
  },
});

async function accessOf({ run, task }: JobRun, outside: OutsideWork<Asked>): Promise<SqlAccess> {
  const { databaseId } = run as unknown as SqlRun;
  const record = await openIntegration(databaseSort, databaseId, task.owner.projectKey);
  outside.hide(record.secrets);
  const { shown, kept } = record;
  return { ...shown, ca: kept.ca, dialect: dialectOf(shown.type), password: record.secretOf("password") };
}

function problemOf(statements: readonly string[], dialect: SqlDialect): string | undefined {
  if (statements.length === 0) return "there is no statement in sql";
  const words = statements.map((statement) => transactionWord(statement, dialect));
  const at = words.findIndex((word) => word !== undefined);
  return at < 0
    ? undefined
    : `statement ${at + 1} is ${words[at]}: the statements of a job are one transaction already`;
}

interface Result {
  sql: string;
  /** Milliseconds. */
  elapsed_time: number;
  rows_affected: number;
  status: "success" | "failed" | "not_exec";
}

class Statements {
  readonly #run: JobRun;
  readonly #outside: OutsideWork<Asked>;
  readonly #access: SqlAccess;
  readonly #session: SqlSession;
  readonly #statements: readonly string[];
  readonly #results: Result[];
  #rows: SqlAnswer["rows"];
  /** Why what runs was ended. */
  #halted: "cancelled" | "timeout" | "overdue" | undefined;

  constructor(
    run: JobRun,
    outside: OutsideWork<Asked>,
    access: SqlAccess,
    session: SqlSession,
    statements: readonly string[],
  ) {
    this.#run = run;
    this.#outside = outside;
    this.#access = access;
    this.#session = session;
    this.#statements = statements;
    this.#results = statements.map((statement) => ({
      ...{ sql: outside.masked(statement), elapsed_time: 0, rows_affected: 0, status: "not_exec" },
    }));
  }

  async ended(): Promise<JobEnd> {
    const watching = this.#watch();
    try {
      await this.#all();
    } catch (error) {
      if (!(error instanceof ServerRefused || error instanceof ServerUnavailable)) throw error;
      return this.#failed(error);
    } finally {
      watching.end();
      this.#show();
    }
    const rowsAffected = this.#results.reduce((sum, { rows_affected }) => sum + rows_affected, 0);
    return passed({ outputs: { ROWS_AFFECTED: String(rowsAffected), ...this.#output() } });
  }

  /** One statement is a transaction by itself, and some may be in no other. */
  async #all(): Promise<void> {
    const isTransaction = this.#statements.length > 1;
    if (isTransaction) await this.#session.run("BEGIN");
    for (const [at, statement] of this.#statements.entries()) {
      if (this.#halted) throw new ServerRefused("it was stopped");
      await this.#one(at, statement);
    }
    if (isTransaction) await this.#session.run("COMMIT");
  }

  async #one(at: number, statement: string): Promise<void> {
    const result = this.#results[at] as Result;
    this.#outside.say(`${at + 1}/${this.#statements.length}: ${result.sql}`);
    const startedAt = performance.now();
    result.status = "failed";
    try {
      const { rowsAffected, rows } = await this.#session.run(statement);
      Object.assign(result, { rows_affected: rowsAffected, status: "success" });
      if (rows !== undefined) this.#rows = rows;
      this.#say(rowsAffected, rows);
    } finally {
      result.elapsed_time = Math.round(performance.now() - startedAt);
      this.#show();
    }
  }

  #say(rowsAffected: number, rows: SqlAnswer["rows"]): void {
    if (rows === undefined) {
      this.#outside.say(`rows affected: ${rowsAffected}`);
      return;
    }
    for (const row of rows.first) this.#outside.say(JSON.stringify(row).slice(0, longestLine));
    this.#outside.say(
      `rows: ${rows.count}${rows.count > rows.first.length ? `, the first ${rows.first.length} are shown` : ""}`,
    );
  }

  /** The rows of the last statement that has any, where they fit. */
  #output(): { RESULT?: string } {
    if (this.#rows === undefined) return {};
    const text = this.#outside.masked(JSON.stringify(this.#rows.first));
    if (this.#rows.count === this.#rows.first.length && Buffer.byteLength(JSON.stringify(text)) <= longestResult)
      return { RESULT: text };
    this.#outside.say(`the output RESULT is empty: there are more than ${mostRows} rows, or more than 3 KB of them`);
    return {};
  }

  #show(): void {
    this.#outside.result = { ...this.#outside.result, results: this.#results };
  }

  /** Closing the session rolls back what was not committed. */
  async #failed(error: Error): Promise<JobEnd> {
    const at = this.#results.findIndex(({ status }) => status === "failed");
    const what = at < 0 ? "the transaction" : `statement ${at + 1} of ${this.#statements.length}`;
    const rest = await this.#fate(at, error);
    if (this.#halted === undefined) return failed(`${what} failed: ${error.message}; ${rest}`);
    const minutes = Math.round(mostSeconds / 60);
    this.#outside.say(`${what} was stopped; ${rest}`);
    if (this.#halted === "overdue")
      return { ...stopped("timeout"), error: `the statements of a job have ${minutes} minutes together; ${rest}` };
    return stopped(this.#halted);
  }

  /** What became of the other statements. */
  async #fate(at: number, error: Error): Promise<string> {
    const isLost = error instanceof ServerUnavailable;
    if (isLost && (at < 0 || this.#statements.length === 1))
      return "it is not known whether it was kept: look at the database";
    if (!isLost && this.#statements.length > 1) await this.#session.run("ROLLBACK").catch(() => undefined);
    const { dialect } = this.#access;
    const kept = this.#statements.slice(0, Math.max(at, 0)).some((statement) => commitsByItself(statement, dialect));
    return kept
      ? "MySQL commits at statements that define things, and keeps what came before them"
      : "nothing of it is kept";
  }

  /** Looks every second whether the statements are still wanted, and ends what runs when they are not. */
  #watch(): { end(): void } {
    const last = nowSeconds() + mostSeconds;
    const timer = setInterval(async () => {
      if (this.#halted) return;
      if (nowSeconds() >= last) this.#halted = "overdue";
      else if (nowSeconds() >= this.#run.deadline) this.#halted = "timeout";
      else if (await this.#outside.isWanted()) return;
      else this.#halted ??= "cancelled";
      await this.#cancel();
    }, lookMilliseconds);
    return { end: () => clearInterval(timer) };
  }

  async #cancel(): Promise<void> {
    try {
      const other = await openSql(this.#access);
      await other.run(this.#session.cancelling).finally(() => other.close());
    } catch (error) {
      this.#outside.say(`it could not be stopped: ${error instanceof Error ? error.message : error}`);
    }
  }
}
