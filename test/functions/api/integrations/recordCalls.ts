import { expect } from "vitest";
import { table } from "../../../../shared/base/store/table.ts";
import { type RecordUser, startUse, type UsedRecord } from "../../../../shared/base/store/uses.ts";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";

export interface RecordCalls<Shown extends { id: unknown }> {
  path: string;
  list(): Promise<Shown[]>;
  /** Adds a record and returns it as its own reading shows it. */
  add(more?: object): Promise<Shown>;
  ask(method: string, at?: string, body?: unknown): Promise<Answer<{ code: number; description: string }>>;
  /** Fields that a 400 names, sorted. */
  problemsOf(body: unknown, method?: string, at?: string): Promise<string[]>;
}

/** Starts an installation whose records under `path` are made from `sample`. */
export async function startForRecords<Shown extends { id: unknown }>(
  path: string,
  sample: object,
): Promise<Slipway & RecordCalls<Shown>> {
  const slipway = await startSlipway();
  return { ...slipway, ...recordCalls<Shown>(slipway, path, sample) };
}

/** Calls to the records under `path` of an installation, which are made from `sample`. */
export function recordCalls<Shown extends { id: unknown }>(
  slipway: Slipway,
  path: string,
  sample: object,
): RecordCalls<Shown> {
  return {
    path,
    list: async () => (await slipway.call<Shown[]>("GET", path)).json,
    async add(more = {}) {
      const made = await slipway.call<{ message: string; id: unknown }>("POST", path, { body: { ...sample, ...more } });
      expect([made.status, made.json.message], made.text).toEqual([200, "success"]);
      return (await slipway.call<Shown>("GET", `${path}/${made.json.id}`)).json;
    },
    ask: (method, at = path, body = undefined) => slipway.call(method, at, { body }),
    async problemsOf(body, method = "POST", at = path) {
      const answer = await slipway.call<{ code: number; extra: { problems?: { path: string }[] } }>(method, at, {
        body,
      });
      expect([answer.status, answer.json.code], answer.text).toEqual([400, 400]);
      return (answer.json.extra.problems ?? []).map((problem) => problem.path).sort();
    },
  };
}

/** Makes users of a record that are no records themselves: as the transaction of a build or a workflow would. */
export async function use(record: UsedRecord, ...users: RecordUser[]): Promise<void> {
  for (const user of users) await table().write(...startUse(record, user));
}

/** Everything that is stored about a record and in the list of its kind, as one text. */
export async function storedTexts(kind: string, id: unknown): Promise<string> {
  const own = await table().query({ pk: `integration#${kind}#${id}` });
  expect(own.length).toBeGreaterThan(0);
  return JSON.stringify([own, await table().query({ index: "list", pk: `integrations#${kind}` })]);
}
