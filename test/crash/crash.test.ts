import { vi } from "vitest";
import { first, last } from "./aims.ts";
import { chartScenarios } from "./chartScenarios.ts";
import { crashSuite, type Kills } from "./crashSuite.ts";
import { environmentScenarios } from "./environmentScenarios.ts";
import { planScenarios } from "./planScenarios.ts";
import { taskScenarios } from "./taskScenarios.ts";
import { versionScenarios } from "./versionScenarios.ts";

vi.setConfig({ testTimeout: 240_000 });

const web = "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web";
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

const scenarios = [...environmentScenarios, ...taskScenarios, ...planScenarios, ...versionScenarios, ...chartScenarios];
for (const scenario of scenarios) {
  const choose = chosen[scenario.name];
  if (choose !== undefined) crashSuite(scenario, (writes) => [choose(writes)]);
}
