import { isObject, type Json } from "./json.ts";

/** A state of an Amazon States Language definition, as far as this folder has to know it. */
export type AslState = { Type: string; [field: string]: Json | undefined };

export type AslMachine = { StartAt: string; States: Record<string, AslState>; TimeoutSeconds?: number };

/** The nested machines of a Map or Parallel state. */
export function nestedMachines(state: AslState): AslMachine[] {
  const body = state.ItemProcessor ?? state.Iterator;
  const branches = Array.isArray(state.Branches) ? state.Branches : [];
  return [body, ...branches].flatMap((value: unknown) => (isMachine(value) ? [value] : []));
}

function isMachine(value: unknown): value is AslMachine {
  return isObject(value) && "StartAt" in value && "States" in value;
}

/** The fields that hold payload templates: their keys that end in `.$` hold paths or intrinsic functions. */
export const TEMPLATE_FIELDS = ["Parameters", "ItemSelector", "ResultSelector"];
