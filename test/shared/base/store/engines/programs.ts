import * as fc from "fast-check";
import { type Condition, exists, type Path } from "../../../../../shared/base/store/conditions.ts";
import type { IndexName } from "../../../../../shared/base/store/engine.ts";
import type { Key } from "../../../../../shared/base/store/keys/keys.ts";
import { recordStoreCalls } from "../../../../../shared/base/store/storeCalls.ts";
import { ConditionFailed, type TableClient } from "../../../../../shared/base/store/tableClient.ts";
import { tableDefinition } from "../../../../../shared/base/store/tableDefinition.ts";
import { named, type Update, type Write, type WriteName } from "../../../../../shared/base/store/writes.ts";

/** One call of the table, on a few items that a program has for itself. */
export type Step =
  | { call: "write"; writes: Write[] }
  | { call: "updateOne"; write: Update }
  | { call: "addTo"; key: Key; amounts: Record<string, number>; initial: Record<string, unknown> }
  | { call: "get"; key: Key; consistent: boolean }
  | { call: "getMany"; keys: Key[]; consistent: boolean }
  | {
      call: "query";
      index?: IndexName;
      pk: string;
      prefix?: string;
      between?: readonly [string, string];
      descending: boolean;
      limit?: number;
    };

export type Program = Step[];

/** What a step came to: what was answered, or how it was refused, and what its reads cost. */
export interface Outcome {
  answer: unknown;
  readUnits: number[];
}

/** Among them beginnings of others, and characters whose order differs between UTF-8 and UTF-16. */
const sortKeys = ["a", "a#1", "a#2", "a#22", "ab", "b", "b\0", "é", "\uffee", "\u{1f600}"];
const partitions = ["one", "two"];
const words = ["", "open", "done", "ünïcode \u{1f680}", "a\0b", "x".repeat(1100), "y".repeat(5000)];

const text = fc.constantFrom(...words);
/** Sums of a program stay below 2^53: beyond it DynamoDB counts on, and SQLite refuses. */
const largest = 2 ** 49;
const number = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -largest, max: largest }),
  fc.integer({ min: -99_999, max: 99_999 }).map((hundredths) => hundredths / 100),
  fc.constantFrom(1e-7, 1.5e-10, 123456.789),
);
const textSet = fc
  .uniqueArray(fc.constantFrom("r", "s", "t", "ü"), { minLength: 1 })
  .map((members) => new Set(members));
const numberSet = fc
  .uniqueArray(fc.integer({ min: -3, max: 3 }), { minLength: 1 })
  .map((members) => new Set(members.map((member) => member + 0)));

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    textSet,
    numberSet,
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("x", "y", "ü"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Attributes by what they usually hold; now and then any holds anything. */
const attributes = ["count", "status", "tags", "map", "other"] as const;
const usual: Record<(typeof attributes)[number], fc.Arbitrary<unknown>> = {
  count: number,
  status: text,
  tags: textSet,
  map: fc.dictionary(fc.constantFrom("x", "y"), value, { noNullPrototype: true }),
  other: value,
};

const someAttributes = fc
  .subarray([...attributes])
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [name, fc.oneof({ weight: 9, arbitrary: usual[name] }, { weight: 1, arbitrary: value })]),
      ),
    ),
  );

const key: fc.Arbitrary<Key> = fc.record(
  { pk: fc.constantFrom(...partitions), sk: fc.constantFrom(...sortKeys) },
  { noNullPrototype: true },
);

/** Keys of indexes, of each both, one or none. */
const indexAttributes = fc
  .tuple(...tableDefinition.indexes.map(() => fc.tuple(fc.integer({ min: 0, max: 4 }), key)))
  .map((picked) =>
    Object.fromEntries(
      tableDefinition.indexes.flatMap(({ partitionKey, sortKey }, at) => {
        const [kind, { pk, sk }] = picked[at] ?? [0, { pk: "", sk: "" }];
        const both = [
          [partitionKey, pk],
          [sortKey, sk],
        ];
        return kind > 2 ? both : kind === 2 ? both.slice(0, 1) : kind === 1 ? both.slice(1) : [];
      }),
    ),
  );

const path: fc.Arbitrary<Path> = fc.oneof(
  fc.constantFrom(...attributes, "pk", "missing"),
  fc.tuple(fc.constantFrom("map", "other", "missing"), fc.constantFrom("x", "y")),
);

const condition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small" },
    path.map(exists),
    fc.record({ kind: fc.constantFrom("exists" as const, "absent" as const), path }),
    fc.record({ kind: fc.constant("equals" as const), path, value: fc.oneof(text, number, fc.boolean(), textSet) }),
    fc.record({
      kind: fc.constant("oneOf" as const),
      path,
      values: fc.array(fc.oneof(text, fc.integer({ min: -5, max: 5 })), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constantFrom("less" as const, "atMost" as const), path, value: fc.oneof(number, text) }),
    fc.record({ kind: fc.constant("contains" as const), path, member: fc.constantFrom("r", "s", "o") }),
    fc.record({ kind: fc.constant("larger" as const), path, size: fc.integer({ min: 0, max: 3 }) }),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      conditions: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), condition: tie("condition") }),
  ),
})).condition;

const changes = fc
  .tuple(
    someAttributes,
    indexAttributes,
    fc.shuffledSubarray([...attributes, "listPk", "dueSk", "refPk"]),
    fc.record({ add: number, members: textSet, pick: fc.integer({ min: 0, max: 6 }) }),
  )
  .map(([set, indexes, unset, { add, members, pick }]) => {
    const given: Record<string, unknown> = { ...set, ...indexes };
    const left = unset.filter((name) => !(name in given)).slice(0, 2);
    const free = (name: string) => !(name in given) && !left.includes(name);
    return {
      set: given,
      unset: left,
      ...(pick % 2 === 0 && free("count") && { add: { count: add } }),
      ...(pick % 3 === 1 && free("tags") && { add: { tags: members } }),
      ...(pick % 3 === 2 && free("tags") && { takeFrom: { tags: members } }),
      ...(pick > 4 && free("other") && { initial: { other: add } }),
    };
  })
  .filter(({ set, unset, ...more }) => Object.keys(set).length + unset.length + Object.keys(more).length > 0);

const optional = fc.option(condition, { nil: undefined, freq: 2 });

const update: fc.Arbitrary<Update> = fc
  .tuple(key, changes, optional)
  .map(([of, changed, only]) => ({ kind: "update", key: of, changes: changed, ...(only && { condition: only }) }));

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(key, someAttributes, indexAttributes, fc.option(text, { nil: undefined }), optional).map(
    ([of, given, indexes, summary, only]): Write => ({
      kind: "put",
      item: { ...of, ...given, ...indexes, ...(summary !== undefined && { summary }) },
      ...(only && { condition: only }),
    }),
  ),
  update,
  fc.tuple(key, optional).map(([of, only]): Write => ({ kind: "remove", key: of, ...(only && { condition: only }) })),
  fc.tuple(key, condition).map(([of, only]): Write => ({ kind: "check", key: of, condition: only })),
);

const names: readonly WriteName[] = ["task", "project", "workflow"];

const keyText = (one: Write): string => {
  const { pk, sk } = one.kind === "put" ? one.item : one.key;
  return `${pk}/${sk}`;
};

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.uniqueArray(write, { minLength: 1, maxLength: 5, selector: keyText }).map(
      (writes): Step => ({
        call: "write",
        writes: writes.map((one, at) => (at === 3 ? one : named(names[at % names.length] as WriteName, one))),
      }),
    ),
  },
  { weight: 2, arbitrary: update.map((one): Step => ({ call: "updateOne", write: one })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ key, count: number, other: text })
      .map(({ key: of, count, other }): Step => ({ call: "addTo", key: of, amounts: { count }, initial: { other } })),
  },
  { weight: 1, arbitrary: fc.record({ call: fc.constant("get" as const), key, consistent: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      call: fc.constant("getMany" as const),
      keys: fc.uniqueArray(key, { maxLength: 6, selector: ({ pk, sk }) => `${pk}/${sk}` }),
      consistent: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        pk: fc.constantFrom(...partitions),
        index: fc.option(fc.constantFrom<IndexName>("list", "references", "due"), { nil: undefined }),
        kind: fc.constantFrom("all", "prefix", "between"),
        bounds: fc.tuple(fc.constantFrom(...sortKeys), fc.constantFrom(...sortKeys)),
        descending: fc.boolean(),
        limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      })
      .map(({ index, kind, bounds: [one, other], limit, ...search }): Step => {
        const between = Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0 ? [other, one] : [one, other];
        return {
          call: "query",
          ...search,
          ...(index !== undefined && { index }),
          ...(kind === "prefix" && { prefix: one }),
          ...(kind === "between" && { between: between as [string, string] }),
          ...(limit !== undefined && { limit }),
        };
      }),
  },
);

export const program: fc.Arbitrary<Program> = fc.array(step, { minLength: 1, maxLength: 14 });

/** Runs a program step by step, its partitions under a name of its own. */
export async function run(table: TableClient, steps: Program, name: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const one of steps)
    outcomes.push(
      await outcomeOf(
        table,
        renamed(one, (pk) => `${name}#${pk}`),
      ),
    );
  return outcomes;
}

const renamedAttributes = new Set(["pk", ...tableDefinition.indexes.map(({ partitionKey }) => partitionKey)]);

function renamed(one: Step, rename: (pk: string) => string): Step {
  const change = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null || part instanceof Set || part instanceof Uint8Array) return part;
    if (Array.isArray(part)) return part.map(change);
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) =>
        renamedAttributes.has(name) && typeof inner === "string" ? [name, rename(inner)] : [name, change(inner)],
      ),
    );
  };
  return change(one) as Step;
}

async function outcomeOf(table: TableClient, one: Step): Promise<Outcome> {
  const { result: answer, calls } = await recordStoreCalls(() => answerOf(table, one).catch(refusalOf));
  const reads = calls.filter(({ kind }) => kind === "get" || kind === "getMany" || kind === "query");
  return { answer: comparable(answer), readUnits: reads.map(({ capacityUnits }) => capacityUnits) };
}

async function answerOf(table: TableClient, one: Step): Promise<unknown> {
  switch (one.call) {
    case "write":
      return table.write(...one.writes);
    case "updateOne":
      return table.updateOne(one.write);
    case "addTo":
      return table.addTo(one.key, one.amounts, one.initial);
    case "get":
      return table.get(one.key, { consistent: one.consistent });
    case "getMany":
      // The answer has no order.
      return (await table.getMany(one.keys, { consistent: one.consistent })).toSorted((a, b) =>
        `${a.pk}/${a.sk}` < `${b.pk}/${b.sk}` ? -1 : 1,
      );
    case "query": {
      const { call: _call, ...search } = one;
      const items = await table.query<Record<string, unknown>>(search);
      return search.index === undefined ? items : withoutTies(items, search.index, search.limit);
    }
  }
}

/**
 * Items of an index with the same sort key come in no order that DynamoDB promises; here by their own keys. Of those at the
 * end of a page only their number counts.
 */
function withoutTies<T extends Record<string, unknown>>(
  items: readonly T[],
  index: IndexName,
  limit?: number,
): unknown[] {
  const { sortKey = "" } = tableDefinition.indexes.find(({ name }) => name === index) ?? {};
  const last = items.length === limit ? items.at(-1)?.[sortKey] : undefined;
  const groups = Map.groupBy(items, (item) => item[sortKey]);
  return [...groups].flatMap(([key, tied]) =>
    key === last ? tied.map(() => key) : tied.toSorted((a, b) => (`${a.pk}/${a.sk}` < `${b.pk}/${b.sk}` ? -1 : 1)),
  );
}

/** Which writes lost; of anything else only that it was refused, for the words differ. */
function refusalOf(error: unknown): unknown {
  return error instanceof ConditionFailed ? { failed: error.failed } : { refused: true };
}

/** Sets have no order, and maps none of their names. */
function comparable(answer: unknown): unknown {
  if (answer instanceof Set) return { set: [...answer].map(String).sort() };
  if (answer instanceof Uint8Array) return { bytes: Buffer.from(answer).toString("hex") };
  if (Array.isArray(answer)) return answer.map(comparable);
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, comparable(inner)]),
  );
}
