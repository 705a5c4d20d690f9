import { vi } from "vitest";
import { first, last } from "./aims.ts";
import { crashSuite, type Kills } from "./crashSuite.ts";
import { meshScenarios } from "./meshScenarios.ts";
import { rolloutScenarios } from "./rolloutScenarios.ts";

vi.setConfig({ testTimeout: 240_000 });

const web = "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web";
const service = "PATCH /api/v1/namespaces/shop-dev/services/web";
const canary = "DELETE /apis/apps/v1/namespaces/shop-dev/deployments/web-canary";
const gray = "DELETE /apis/apps/v1/namespaces/shop-dev/deployments/web-zadig-gray";
const mesh = "/apis/networking.istio.io/v1/namespaces";
const shares = `PATCH ${mesh}/shop-dev/virtualservices/slipway-web.release`;
const drawn = `PATCH ${mesh}/mesh-sub/virtualservices/slipway-back`;

/** One run each, where traffic is led elsewhere; `npm run soak` kills at every write. */
const chosen: Readonly<Record<string, (writes: readonly string[]) => Kills>> = {
  "blue-green rollout": (writes) => [first(writes, service, "after"), { number: 2, moment: "after" }],
  // The traffic is led to what is looked at, and the look is over.
  "looked-at rollout": (writes) => [first(writes, service, "after"), { number: 3, moment: "before" }],
  "canary rollout": (writes) => [last(writes, canary, "before")],
  "gray rollout": (writes) => [last(writes, web, "before"), first(writes, gray, "after")],
  "istio rollout": (writes) => [first(writes, shares, "after"), { number: 3, moment: "before" }],
  // The hold is gone, and nobody has told the job yet.
  "held rollout": (writes) => [
    last(writes.slice(0, writes.indexOf(web)), "SendTaskSuccess", "before"),
    { number: 2, moment: "before" },
  ],
  // The traffic is back, and the new pods stand.
  "blue-green rollout found wanting": (writes) => [last(writes, service, "after")],
  // Former pods are asked for again, and the new ones stand.
  "gray rollout found wanting": (writes) => [last(writes, web, "after")],
  "istio rollout rolled back later": (writes) => [first(writes, web, "after")],
  "shares of a base and its sub-environment": (writes) => [first(writes, drawn, "before")],
};

for (const scenario of [...rolloutScenarios, ...meshScenarios]) {
  const choose = chosen[scenario.name];
  if (choose !== undefined) crashSuite(scenario, (writes) => [choose(writes)]);
}
