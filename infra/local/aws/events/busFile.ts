import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import type { EventBus } from "../../../../shared/aws/adapters.ts";

/**
 * The event bus of one machine: every event becomes a line of the file, in the form in which targets of EventBridge's
 * rules get it. There are no rules; a program that wants to know reads the file.
 */
export function busFile(file: string): EventBus {
  return {
    async publish(events) {
      const lines = events.map(({ detailType, detail, time }) => ({
        version: "0",
        id: randomUUID(),
        "detail-type": detailType,
        source: "slipway",
        account: "000000000000",
        time: new Date(time * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
        region: "us-east-1",
        resources: [],
        detail,
      }));
      appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
      return 0;
    },
  };
}
