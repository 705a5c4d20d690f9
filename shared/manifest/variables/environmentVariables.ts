import type { ServiceVariable } from "./serviceVariable.ts";

/** A variable of a service in an environment: its value there, or the environment's global variable of the same key. */
export interface EnvironmentVariable extends ServiceVariable {
  useGlobalVariable: boolean;
}

/** A global variable of an environment and the services that take it. */
export interface EnvironmentGlobal extends ServiceVariable {
  relatedServices: string[];
}

/** What a request sends for one key; a flag that is left out keeps the one stored. */
export interface SentVariable {
  key: string;
  value?: unknown;
  useGlobalVariable?: boolean;
}

export interface VariableLayers {
  /** Of the newest revision; it decides keys, order, types, options and descriptions. */
  revision: readonly ServiceVariable[];
  /** Kept for the service in the environment; empty when it is new there. */
  environment: readonly EnvironmentVariable[];
  globals: readonly ServiceVariable[];
  sent?: readonly SentVariable[];
  /** What a flag without such a global variable does: go back to false (the default; add and update), or refuse. */
  unknownGlobal?: "reset" | "refuse";
}

/** A variable takes a global variable that the environment does not have. */
export class UnknownGlobalError extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super(`referenced global variable not exist: ${keys.join(", ")}`);
    this.name = "UnknownGlobalError";
    this.keys = keys;
  }
}

/**
 * The variables in force for a service in an environment (contract P 12.3), from low to high: the revision's default,
 * the environment's value where its type is still the revision's, the request's value, and above all of them the
 * environment's global variable where the flag says so. Throws an UnknownGlobalError only with `refuse`.
 */
export function settleVariables(layers: VariableLayers): EnvironmentVariable[] {
  const environment = byKey(layers.environment);
  const globals = byKey(layers.globals);
  const requested = byKey(layers.sent ?? []);
  const unknown: string[] = [];
  const variables = layers.revision.map((base): EnvironmentVariable => {
    const kept = environment.get(base.key);
    const sent = requested.get(base.key);
    const wantsGlobal = sent?.useGlobalVariable ?? kept?.useGlobalVariable ?? false;
    const global = globals.get(base.key);
    if (wantsGlobal && global) {
      const { value, type, options, desc } = global;
      return { key: base.key, value, type, options, desc, useGlobalVariable: true };
    }
    if (wantsGlobal) unknown.push(base.key);
    const { key, type, options, desc } = base;
    return { key, value: valueInForce(base, kept, sent), type, options, desc, useGlobalVariable: false };
  });
  if (unknown.length > 0 && layers.unknownGlobal === "refuse") throw new UnknownGlobalError(unknown);
  return variables;
}

function valueInForce(
  base: ServiceVariable,
  kept: EnvironmentVariable | undefined,
  sent: SentVariable | undefined,
): unknown {
  if (sent && sent.value !== undefined && sent.value !== null) return sent.value;
  // A value that came from a global variable may have that variable's type.
  return kept && kept.type === base.type ? kept.value : base.value;
}

/** The global variables with a service among the related ones exactly where its variables take them. */
export function relateService(
  globals: readonly EnvironmentGlobal[],
  serviceName: string,
  variables: readonly EnvironmentVariable[],
): EnvironmentGlobal[] {
  const taken = new Set(variables.filter(({ useGlobalVariable }) => useGlobalVariable).map(({ key }) => key));
  return globals.map((global) => {
    const isRelated = global.relatedServices.includes(serviceName);
    if (isRelated === taken.has(global.key)) return global;
    const others = global.relatedServices.filter((name) => name !== serviceName);
    return { ...global, relatedServices: isRelated ? others : [...others, serviceName] };
  });
}

function byKey<T extends { key: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((item) => [item.key, item]));
}
