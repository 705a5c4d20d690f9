import { vi } from "vitest";
import { chartScenarios } from "./chartScenarios.ts";
import { crashSuite, type Kills } from "./crashSuite.ts";
import { environmentScenarios } from "./environmentScenarios.ts";
import { planScenarios } from "./planScenarios.ts";
import { rolloutScenarios } from "./rolloutScenarios.ts";
import { taskScenarios } from "./taskScenarios.ts";
import { versionScenarios } from "./versionScenarios.ts";
import type { Aim } from "./writeCounter.ts";

vi.setConfig({ testTimeout: 240_000 });

/** The first write of that name, or the last one. @throws Error where there is none: nothing would be killed */
const first = (writes: readonly string[], name: string, moment: Aim["moment"]): Aim =>
  aimAt(writes.indexOf(name), name, moment);
const last = (writes: readonly string[], name: string, moment: Aim["moment"]): Aim =>
  aimAt(writes.lastIndexOf(name), name, moment);

function aimAt(index: number, name: string, moment: Aim["moment"]): Aim {
  if (index < 0) throw new Error(`no write ${name}`);
  return { number: index + 1, moment };
}

const web = "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web";
const service = "PATCH /api/v1/namespaces/shop-dev/services/web";
const canary = "DELETE /apis/apps/v1/namespaces/shop-dev/deployments/web-canary";
const gray = "DELETE /apis/apps/v1/namespaces/shop-dev/deployments/web-zadig-gray";
const mesh = "/apis/networking.istio.io/v1/namespaces/shop-dev";
const shares = `PATCH ${mesh}/virtualservices/slipway-web.release`;
const namespace = "DELETE /api/v1/namespaces/shop-dev";
const manifest = "PUT /v2/slipway/released/web/manifests/1.0";
const tagged = "PUT /v2/slipway/web/manifests/1.0";
const pushedChart = "PUT /v2/charts/web/manifests/1.0.1";
const job = "POST /apis/batch/v1/namespaces/slipway-jobs/jobs";

/** Helm's own record of a revision. */
const releases = "/api/v1/namespaces/charts-dev/secrets";
const definition = "PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.crash.slipway.test";
const release = `${releases}/sh.helm.release.v1.web.v`;

/** One run each, at the end of something; `npm run soak` kills at every write. */
const chosen: Readonly<Record<string, (writes: readonly string[]) => Kills>> = {
  creation: (writes) => [last(writes, web, "after"), { number: 2, moment: "after" }],
  "task of a workflow": (writes) => [last(writes, job, "after"), { number: 12, moment: "after" }],
  "approval, deployment and messages": (writes) => [last(writes, web, "after"), { number: 12, moment: "before" }],
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
  "job of a release plan": (writes) => [last(writes, "SendTaskSuccess", "after"), { number: 2, moment: "before" }],
  "rollback of a release plan": (writes) => [first(writes, web, "after"), { number: 2, moment: "before" }],
  "approval of a release plan": (writes) => [last(writes, "SendTaskSuccess", "after"), { number: 2, moment: "before" }],
  "delivery version": (writes) => [last(writes, manifest, "after"), { number: 2, moment: "before" }],
  "delivery version of charts": (writes) => [last(writes, pushedChart, "after"), { number: 2, moment: "before" }],
  "job that copies images": (writes) => [last(writes, tagged, "after"), { number: 2, moment: "before" }],
  "deletion of a delivery version": (writes) => [first(writes, "TransactWriteItems", "after")],
  "installation of a chart": (writes) => [last(writes, definition, "after")],
  "upgrade of a chart": (writes) => [last(writes, `PUT ${release}1`, "after")],
  "deployment of a chart by a job": (writes) => [
    last(writes, `PUT ${release}2`, "after"),
    { number: 3, moment: "before" },
  ],
  "tests of a chart": (writes) => [first(writes, `PUT ${release}1`, "after")],
  "removal of a chart": (writes) => [last(writes, `DELETE ${release}1`, "before")],
  "deletion during a creation": (writes) => [first(writes, "StopExecution", "after")],
  "deletion with its objects": (writes) => [last(writes, namespace, "before")],
};

const scenarios = [
  ...environmentScenarios,
  ...taskScenarios,
  ...rolloutScenarios,
  ...planScenarios,
  ...versionScenarios,
  ...chartScenarios,
];
for (const scenario of scenarios) {
  const choose = chosen[scenario.name];
  if (choose !== undefined) crashSuite(scenario, (writes) => [choose(writes)]);
}
