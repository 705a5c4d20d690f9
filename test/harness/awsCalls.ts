import { type Adapters, adapters, provideAdapters } from "../../shared/base/aws/adapters.ts";

/** One call of an adapter, `stateMachines.start` for example, with its values; `go` makes it. */
type Around = (call: string, values: readonly unknown[], go: () => unknown) => unknown;

/** Adapters that do as others do, where `around` lets them. */
export function aroundAdapters(others: Adapters, around: Around): Adapters {
  const wrapped = ([name, port]: [string, object]): [string, object] => {
    const get = (_: object, method: string) => {
      // An async function: what `around` throws is a rejection, as of an adapter.
      return async (...values: unknown[]) =>
        around(`${name}.${method}`, values, () => Reflect.get(port, method).apply(port, values));
    };
    return [name, new Proxy({}, { get })];
  };
  return Object.fromEntries(Object.entries(others).map(wrapped)) as unknown as Adapters;
}

/** Runs `work` and counts what is asked of the adapters meanwhile, by whichever thread. */
export async function recordAwsCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: Record<string, number> }> {
  const asked = adapters();
  if (asked === undefined) throw new Error("there are no adapters whose calls could be counted");
  const calls: Record<string, number> = {};
  const counted = aroundAdapters(asked, (call, _, go) => {
    calls[call] = (calls[call] ?? 0) + 1;
    return go();
  });
  provideAdapters(counted);
  try {
    return { result: await work(), calls };
  } finally {
    provideAdapters(asked);
  }
}
