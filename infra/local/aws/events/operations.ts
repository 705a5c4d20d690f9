import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import * as z from "zod";
import type { JsonOperations } from "../jsonService.ts";
import { parseInput, parseJson } from "../service.ts";

const entry = z.object({
  EventBusName: z.string().min(1).max(1600),
  Source: z.string().min(1),
  DetailType: z.string().min(1),
  Detail: z.string().refine((text) => isObject(parseJson(text)), "must be a JSON object"),
  Time: z.number().optional(),
  Resources: z.array(z.string()).default([]),
});
const putInput = z.object({ Entries: z.array(entry).min(1).max(10) });

/**
 * EventBridge's PutEvents: every event becomes a line of the file, in the form in which rules' targets get it. There
 * are no rules on one machine; whoever wants to know reads the file.
 */
export function eventsOperations(file: string): JsonOperations {
  return {
    PutEvents(body) {
      const { Entries } = parseInput(putInput, body);
      const events = Entries.map((one) => ({
        version: "0",
        id: randomUUID(),
        "detail-type": one.DetailType,
        source: one.Source,
        account: "000000000000",
        time: new Date(one.Time === undefined ? Date.now() : one.Time * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
        region: "us-east-1",
        resources: one.Resources,
        detail: parseJson(one.Detail),
      }));
      appendFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""), { mode: 0o600 });
      return { FailedEntryCount: 0, Entries: events.map(({ id }) => ({ EventId: id })) };
    },
  };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
