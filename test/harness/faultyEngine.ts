import { type Refused, StoreBusy, type TableEngine } from "../../shared/base/store/engine.ts";

/** Which calls of the table fail, of those that `strikes` chooses. */
export interface Faults {
  /** Asked before each call of the engine, with its method. */
  strikes(method: keyof TableEngine): "busy" | "contended" | undefined;
}

/** An engine some of whose calls fail before they do anything, as DynamoDB's do when it is throttled or two transactions meet. */
export function faultyEngine(engine: TableEngine, faults: Faults): TableEngine {
  const meet = (method: keyof TableEngine): Refused | undefined => {
    const fault = faults.strikes(method);
    if (fault === "busy") throw new StoreBusy("a test says so");
    return fault === "contended" ? { contended: true } : undefined;
  };
  /** Reads meet no other transaction. */
  const unless = <T>(method: keyof TableEngine, read: () => Promise<T>): Promise<T> => {
    meet(method);
    return read();
  };
  return {
    get: async (...given) => unless("get", () => engine.get(...given)),
    getBatch: async (...given) => unless("getBatch", () => engine.getBatch(...given)),
    queryPage: async (...given) => unless("queryPage", () => engine.queryPage(...given)),
    transact: async (...given) => meet("transact") ?? engine.transact(...given),
    update: async (...given) => meet("update") ?? engine.update(...given),
  };
}

/** The same sequence of numbers from 0 to below 1 for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
