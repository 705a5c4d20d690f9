import { ServiceTrouble } from "../errors/serviceTrouble.ts";
import type { Key } from "./keys/keys.ts";
import type { Update, Write } from "./writes.ts";

/** Generic indexes, named by the question they answer. `list` holds only the attribute `summary`. */
export type IndexName = "list" | "references" | "due";

/** Attributes of a stored item. */
export type Attributes = Record<string, unknown>;

export interface Search {
  pk: string;
  index?: IndexName;
  prefix?: string;
  /** Inclusive bounds of the sort key. */
  between?: readonly [string, string];
  descending?: boolean;
  /** Most items of this page. */
  limit?: number;
  consistent: boolean;
}

/** What a call cost, in DynamoDB's capacity units; 0 where they are not counted. */
interface Charged {
  units: number;
}

export interface Page extends Charged {
  items: Attributes[];
  /** Where the next page begins; absent after the last one. */
  next?: Attributes;
}

/** Positions of the writes whose condition did not hold, or that another transaction was at the same items. */
export type Refused = { failed: readonly number[] } | { contended: true };

/** The engine takes no more calls at the moment, or could not do this one: nothing was done. Worth repeating, more slowly. */
export class StoreBusy extends ServiceTrouble {
  override readonly name = "StoreBusy";
}

/**
 * What holds the items: DynamoDB, or SQLite on one machine. Each call is one round trip. What is refused whatever is stored
 * (`refusals.ts`) never reaches it, and `Table` repeats, pages and counts for both alike. Each may throw `StoreBusy`.
 */
export interface TableEngine {
  get(key: Key, consistent: boolean): Promise<{ item: Attributes | undefined } & Charged>;
  /** At most 100 keys. `pending` are those that the engine had no room for. */
  getBatch(
    keys: readonly Key[],
    consistent: boolean,
  ): Promise<{ items: Attributes[]; pending: readonly Key[] } & Charged>;
  queryPage(search: Search, from: Attributes | undefined): Promise<Page>;
  /** All writes or none. */
  transact(writes: readonly Write[]): Promise<Charged | Refused>;
  /** One write outside of transactions: it waits for others on the same item. `item` is the new one, where it is asked for. */
  update(write: Update, answersItem: boolean): Promise<({ item: Attributes | undefined } & Charged) | Refused>;
}
