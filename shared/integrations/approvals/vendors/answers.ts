import { isRecord } from "../../../manifest/schema/kubeObject.ts";

/** Parts of a chat service's answer, which may hold anything. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
