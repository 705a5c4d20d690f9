import { AsyncLocalStorage } from "node:async_hooks";

export type LocalFunction = (event: unknown, context: { signal: AbortSignal }) => Promise<unknown>;

/** What Lambda writes as the payload of an invocation that failed. */
type FunctionError = { errorType: string; errorMessage: string; trace: string[] };

type FunctionOutcome = { payload: string; error?: never } | { error: FunctionError; payload?: never };

/** As Lambda names it; the definitions of state machines go by that. */
export class FunctionNotFound extends Error {
  override name = "ResourceNotFoundException";

  constructor(name: string) {
    super(`Function not found: ${name}`);
  }
}

/** Runs functions by name as Lambda does: JSON in, JSON out, a throw is an outcome and not an error of the call. */
export type FunctionRunner = {
  /** @throws FunctionNotFound */
  check(name: string): void;
  /** @throws FunctionNotFound, Error for a payload that is too large */
  run(name: string, payload: string): Promise<FunctionOutcome>;
  /** Aborts the signal of every running function and waits until they ended, at most `graceMilliseconds`. */
  stop(graceMilliseconds: number): Promise<void>;
};

const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** @throws Error when Lambda would not take the payload */
export function requireSize(payload: string, limitBytes: number, name: string): void {
  const size = Buffer.byteLength(payload);
  if (size > limitBytes)
    throw new Error(`the payload for function ${name} has ${size} bytes, at most ${limitBytes} fit`);
}

export function createFunctionRunner(functions: Record<string, LocalFunction>): FunctionRunner {
  const aborter = new AbortController();
  const running = new Set<Promise<unknown>>();
  // A function knows nothing of the call that led to it, neither its budget nor who counts what it asks.
  const alone = AsyncLocalStorage.snapshot();
  const find = (name: string): LocalFunction => {
    const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!found) throw new FunctionNotFound(name);
    return found;
  };
  return {
    check: (name) => void find(name),
    run(name, payload) {
      requireSize(payload, PAYLOAD_LIMIT_BYTES, name);
      const outcome = alone(invoke, find(name), payload, AbortSignal.any([aborter.signal]));
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },
    async stop(graceMilliseconds) {
      aborter.abort();
      const { promise: grace, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMilliseconds);
      await Promise.race([Promise.allSettled(running), grace]);
      clearTimeout(timer);
    },
  };
}

async function invoke(handler: LocalFunction, payload: string, signal: AbortSignal): Promise<FunctionOutcome> {
  try {
    const result = JSON.stringify(await handler(JSON.parse(payload), { signal })) ?? "null";
    if (Buffer.byteLength(result) <= PAYLOAD_LIMIT_BYTES) return { payload: result };
    return { error: { errorType: "Function.ResponseSizeTooLarge", errorMessage: "more than 6 MiB", trace: [] } };
  } catch (error) {
    if (!(error instanceof Error)) return { error: { errorType: "Error", errorMessage: String(error), trace: [] } };
    return { error: { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? "").split("\n") } };
  }
}
