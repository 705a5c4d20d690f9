import type { TableEngine } from "../../shared/base/store/engine.ts";

/** The engine of a process that is gone: nothing that is left of it reaches the table any more. */
export interface KilledEngine extends TableEngine {
  isDead(): boolean;
  /** How many writes it did. */
  writes(): number;
}

/** An engine whose process dies when its write of that number (from 1) is done, before it hears of it. */
export function killedEngine(engine: TableEngine, number: number): KilledEngine {
  let writes = 0;
  let dead = false;
  const alive = () => {
    if (dead) throw new Error("killed");
  };
  const read = <T>(call: () => Promise<T>): Promise<T> => {
    alive();
    return call();
  };
  const write = async <T>(call: () => Promise<T>): Promise<T> => {
    alive();
    const answer = await call();
    alive();
    writes += 1;
    dead = writes === number;
    alive();
    return answer;
  };
  return {
    isDead: () => dead,
    writes: () => writes,
    get: async (...given) => read(() => engine.get(...given)),
    getBatch: async (...given) => read(() => engine.getBatch(...given)),
    queryPage: async (...given) => read(() => engine.queryPage(...given)),
    transact: async (...given) => write(() => engine.transact(...given)),
    update: async (...given) => write(() => engine.update(...given)),
  };
}
