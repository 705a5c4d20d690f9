import { vi } from "vitest";
import { crashSuite } from "./crashSuite.ts";
import { scenarios } from "./scenarios.ts";
import type { Aim } from "./writeCounter.ts";

vi.setConfig({ testTimeout: 240_000 });

/** A kill just before, and one just after, the first write of that name, or the last one. */
function around(writes: readonly string[], name: string, which: "first" | "last"): Aim[] {
  const at = which === "first" ? writes.indexOf(name) : writes.lastIndexOf(name);
  return [
    { number: at + 1, moment: "before" },
    { number: at + 1, moment: "after" },
  ];
}

const chosen: Record<string, (writes: readonly string[]) => Aim[]> = {
  creation: (writes) => [
    ...around(writes, "POST /api/v1/namespaces", "first").slice(1),
    ...around(writes, "StartExecution", "first"),
    ...around(writes, "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web", "last").slice(1),
    ...around(writes, "SendTaskSuccess", "last").slice(1),
  ],
  "task of a workflow": (writes) => [
    ...around(writes, "StartExecution", "first").slice(0, 1),
    ...around(writes, "POST /apis/batch/v1/namespaces/slipway-jobs/jobs", "last").slice(1),
    ...around(writes, "SendTaskSuccess", "last").slice(1),
  ],
  sleep: (writes) => [
    ...around(writes, "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web", "last"),
    ...around(writes, "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/cache", "last").slice(1),
  ],
  wake: (writes) => around(writes, "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web", "last").slice(1),
  "deletion during a creation": (writes) => around(writes, "StopExecution", "first"),
  "deletion with its objects": (writes) => around(writes, "DELETE /api/v1/namespaces/shop-dev", "last"),
};

/** A handful of the writes that `npm run soak` kills at, all of them the end of something. */
for (const scenario of scenarios) {
  const choose = chosen[scenario.name];
  if (choose !== undefined) crashSuite(scenario, choose);
}
