import { type Backoff, backOff } from "./backOff.ts";
import { type Attributes, type Search, StoreBusy, type TableEngine } from "./engine.ts";
import type { Key } from "./keys/keys.ts";
import { refuseKeys, refuseRepeatedKeys, refuseSearch, refuseTransaction, refuseWrite } from "./refusals.ts";
import { reportStoreCall, type StoreCall } from "./storeCalls.ts";
import type { Update, Write, WriteName } from "./writes.ts";

/** What every stored item carries beside its own attributes. `ttl` is in Unix seconds. */
export interface StoredItem extends Key {
  type: string;
  version: number;
  ttl?: number;
}

export type Item<T> = StoredItem & T;

export interface QueryOptions extends Omit<Search, "consistent"> {
  /** Most items read; without it the whole partition is read, page by page. */
  limit?: number;
  consistent?: boolean;
}

/** A transaction that lost: `failed` names the writes whose condition did not hold; "" is one without a name. */
export class ConditionFailed extends Error {
  readonly failed: readonly (WriteName | "")[];

  /** @param positions of those that lost among all writes of the transaction */
  constructor(writes: readonly Write[], positions: readonly number[]) {
    super(`condition of write ${positions.map((at) => writes[at]?.name ?? at).join(", ")} failed`);
    this.name = "ConditionFailed";
    this.failed = positions.map((at) => writes[at]?.name ?? "");
  }
}

/** Whether what a transaction threw says that its write of this name lost. */
export function conflictedOn(error: unknown, name: WriteName): boolean {
  return error instanceof ConditionFailed && error.failed.includes(name);
}

/** As `conflictedOn`, and that no other write lost. */
export function conflictedOnlyOn(error: unknown, name: WriteName): boolean {
  return error instanceof ConditionFailed && error.failed.every((one) => one === name);
}

/** The engine refused the transaction because another one touched the same items at the same moment; worth repeating. */
export class TransactionContended extends Error {
  constructor() {
    super("another transaction touched the same items");
    this.name = "TransactionContended";
  }
}

const maxBatchKeys = 100;

/** The single table, as repositories use it, over DynamoDB or the engine of one machine. Any call may throw `StoreBusy` after its last try. */
export class TableClient {
  readonly #engine: TableEngine;

  constructor(engine: TableEngine) {
    this.#engine = engine;
  }

  async get<T>(key: Key, options: { consistent?: boolean } = {}): Promise<Item<T> | undefined> {
    refuseKeys(key);
    const { item, units } = await unlessBusy(() => this.#engine.get(key, options.consistent ?? true));
    report("get", units);
    return item as Item<T> | undefined;
  }

  /** Reads many items in one round trip per 100 keys. The answer has no order; absent items are left out. */
  async getMany<T>(keys: readonly Key[], options: { consistent?: boolean } = {}): Promise<Item<T>[]> {
    const items: Attributes[] = [];
    for (const key of keys) refuseKeys(key);
    for (let at = 0; at < keys.length; at += maxBatchKeys) {
      let pending = keys.slice(at, at + maxBatchKeys);
      refuseRepeatedKeys(pending);
      await unlessBusy(async () => {
        const answer = await this.#engine.getBatch(pending, options.consistent ?? true);
        report("getMany", answer.units);
        items.push(...answer.items);
        pending = [...answer.pending];
        if (pending.length > 0) throw new StoreBusy(`${pending.length} items of a batch were not read`);
      });
    }
    return items as Item<T>[];
  }

  /** Items of one partition (of the table or of an index) in the order of the sort key. Index reads are never consistent. */
  async query<T>(options: QueryOptions): Promise<Item<T>[]> {
    refuseSearch(options);
    const { limit, ...search } = options;
    const consistent = options.index === undefined && (options.consistent ?? true);
    const items: Attributes[] = [];
    let from: Attributes | undefined;
    do {
      const left = limit === undefined ? {} : { limit: limit - items.length };
      const page = await unlessBusy(() => this.#engine.queryPage({ ...search, ...left, consistent }, from));
      report("query", page.units);
      items.push(...page.items);
      from = page.next;
    } while (from !== undefined && (limit === undefined || items.length < limit));
    return items as Item<T>[];
  }

  /**
   * All writes or none, every one with its condition (at most 100). What a concurrent transaction on the same items
   * made fail is tried again, with jitter.
   * @throws ConditionFailed with the names of those that lost; TransactionContended after the last try
   */
  async write(...writes: readonly Write[]): Promise<void> {
    await repeatContended(() => this.writeOnce(...writes));
  }

  /**
   * As `write`, but a transaction that another one disturbed is not tried again: for writes that must be rebuilt then.
   * @throws ConditionFailed with the names of those that lost; TransactionContended
   */
  async writeOnce(...writes: readonly Write[]): Promise<void> {
    refuseTransaction(writes);
    const outcome = await unlessBusy(() => this.#engine.transact(writes.map(stored)));
    if ("failed" in outcome) throw new ConditionFailed(writes, outcome.failed);
    if ("contended" in outcome) throw new TransactionContended();
    report("write", outcome.units);
    await doAfterwards(writes);
  }

  /**
   * Changes one item outside of transactions: two at the same moment never contend, the second sees what the first left.
   * @returns whether the condition held
   */
  async updateOne(write: Update): Promise<boolean> {
    return (await this.#update("write", write, false)) !== undefined;
  }

  /**
   * Adds to a counter item and returns it; made at the first call with the attributes of `initial`. Two adds at the
   * same moment both count and never conflict; a transaction on the same item is waited for.
   */
  async add<T extends object = object>(
    key: Key,
    amount: number,
    initial: Readonly<Record<string, unknown>> = {},
  ): Promise<T & { value: number }> {
    return this.addTo<T & { value: number }>(key, { value: amount }, initial);
  }

  /** As `add`, for several numbers of one item at once. */
  async addTo<T extends object>(
    key: Key,
    amounts: Readonly<Record<string, number>>,
    initial: Readonly<Record<string, unknown>> = {},
  ): Promise<T> {
    const changes = { add: amounts, initial: { type: "counter", ...initial } };
    const outcome = await this.#update("add", { kind: "update", key, changes }, true);
    return outcome?.item as T;
  }

  /** @returns undefined when the condition did not hold. @throws TransactionContended after the last try */
  #update(
    kind: StoreCall["kind"],
    write: Update,
    answersItem: boolean,
  ): Promise<{ item: Attributes | undefined } | undefined> {
    refuseWrite(write);
    return repeatContended(async () => {
      const outcome = await unlessBusy(() => this.#engine.update(stored(write), answersItem));
      if ("failed" in outcome) return undefined;
      if ("contended" in outcome) throw new TransactionContended();
      report(kind, outcome.units);
      await doAfterwards([write]);
      return outcome;
    });
  }
}

/** A write as engines take it: what is only data. */
function stored<W extends Write>({ afterwards: _afterwards, ...write }: W): W {
  return write as W;
}

/** What several writes want done is done once. */
async function doAfterwards(writes: readonly Write[]): Promise<void> {
  const wanted = new Set(writes.map(({ afterwards }) => afterwards).filter((one) => one !== undefined));
  await Promise.all([...wanted].map((work) => work()));
}

function report(kind: StoreCall["kind"], capacityUnits: number): void {
  reportStoreCall({ kind, capacityUnits });
}

/** How often something is tried, and the pauses in between. */
interface Repeats extends Backoff {
  maxAttempts: number;
}

const contended: Repeats = { maxAttempts: 7, firstMilliseconds: 40, longestMilliseconds: 2560 };
/** Four seconds on average, eight at most, and what the SDK waited before: well within the 29 s of a request. */
const busy: Repeats = { maxAttempts: 10, firstMilliseconds: 50, longestMilliseconds: 2000 };

/** Tries again what a transaction on the same items made fail. @throws TransactionContended after the last try */
function repeatContended<T>(work: () => Promise<T>): Promise<T> {
  return repeated(work, TransactionContended, contended);
}

/** Tries again what a throttled engine refused (decisions 18.2). @throws StoreBusy after the last try */
function unlessBusy<T>(work: () => Promise<T>): Promise<T> {
  return repeated(work, StoreBusy, busy);
}

async function repeated<T>(work: () => Promise<T>, worthIt: new () => Error, repeats: Repeats): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof worthIt) || attempt >= repeats.maxAttempts) throw error;
      await backOff(attempt, repeats);
    }
  }
}
