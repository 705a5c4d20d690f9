import { first, last } from "./aims.ts";
import type { Kills } from "./crashSuite.ts";

const web = "PATCH /apis/apps/v1/namespaces/shop-dev/deployments/web";
const namespace = "DELETE /api/v1/namespaces/shop-dev";
const manifest = "PUT /v2/slipway/released/web/manifests/1.0";
const tagged = "PUT /v2/slipway/web/manifests/1.0";
const pushedChart = "PUT /v2/charts/web/manifests/1.0.1";
const job = "POST /apis/batch/v1/namespaces/slipway-jobs-shop/jobs";

/** Helm's own record of a revision. */
const releases = "/api/v1/namespaces/charts-dev/secrets";
const definition = "PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.crash.slipway.test";
const release = `${releases}/sh.helm.release.v1.web.v`;
const service = "PATCH /api/v1/namespaces/shop-dev/services/web";
const canary = "DELETE /apis/apps/v1/namespaces/shop-dev/deployments/web-canary";
const gray = "DELETE /apis/apps/v1/namespaces/shop-dev/deployments/web-zadig-gray";
const mesh = "/apis/networking.istio.io/v1/namespaces";
const shares = `PATCH ${mesh}/shop-dev/virtualservices/slipway-web.release`;
const drawn = `PATCH ${mesh}/mesh-sub/virtualservices/slipway-back`;

/** One run of a scenario by its name, where something ends or traffic is led elsewhere. */
export type ChosenKills = Readonly<Record<string, (writes: readonly string[]) => Kills>>;

/** One or two of each subject: those that every run of the suites has. */
export const smoke: ChosenKills = {
  creation: (writes) => [last(writes, web, "after"), { number: 2, moment: "after" }],
  "task of a workflow": (writes) => [last(writes, job, "after"), { number: 12, moment: "after" }],
  "approval of a release plan": (writes) => [
    last(writes, "stateMachines.settle", "after"),
    { number: 2, moment: "before" },
  ],
  "delivery version": (writes) => [last(writes, manifest, "after"), { number: 2, moment: "before" }],
  "upgrade of a chart": (writes) => [last(writes, `PUT ${release}1`, "after")],
  "deletion with its objects": (writes) => [last(writes, namespace, "before")],
  "blue-green rollout": (writes) => [first(writes, service, "after"), { number: 2, moment: "after" }],
  "istio rollout": (writes) => [first(writes, shares, "after"), { number: 3, moment: "before" }],
  // Former pods are asked for again, and the new ones stand.
  "gray rollout found wanting": (writes) => [last(writes, web, "after")],
  "shares of a base and its sub-environment": (writes) => [first(writes, drawn, "before")],
};

/** The others, for `npm run soak`, which kills at every write as well. */
export const chosenKills: ChosenKills = {
  "approval, deployment and messages": (writes) => [last(writes, web, "after"), { number: 12, moment: "before" }],
  "job of a release plan": (writes) => [last(writes, "stateMachines.settle", "after"), { number: 2, moment: "before" }],
  "rollback of a release plan": (writes) => [first(writes, web, "after"), { number: 2, moment: "before" }],
  "delivery version of charts": (writes) => [last(writes, pushedChart, "after"), { number: 2, moment: "before" }],
  "job that copies images": (writes) => [last(writes, tagged, "after"), { number: 2, moment: "before" }],
  "deletion of a delivery version": (writes) => [first(writes, "transact", "after")],
  "installation of a chart": (writes) => [last(writes, definition, "after")],
  "deployment of a chart by a job": (writes) => [
    last(writes, `PUT ${release}2`, "after"),
    { number: 3, moment: "before" },
  ],
  "tests of a chart": (writes) => [first(writes, `PUT ${release}1`, "after")],
  "removal of a chart": (writes) => [last(writes, `DELETE ${release}1`, "before")],
  "deletion during a creation": (writes) => [first(writes, "stateMachines.stop", "after")],
  // The traffic is led to what is looked at, and the look is over.
  "looked-at rollout": (writes) => [first(writes, service, "after"), { number: 3, moment: "before" }],
  "canary rollout": (writes) => [last(writes, canary, "before")],
  "gray rollout": (writes) => [last(writes, web, "before"), first(writes, gray, "after")],
  // The hold is gone, and nobody has told the job yet.
  "held rollout": (writes) => [
    last(writes.slice(0, writes.indexOf(web)), "stateMachines.settle", "before"),
    { number: 2, moment: "before" },
  ],
  // The traffic is back, and the new pods stand.
  "blue-green rollout found wanting": (writes) => [last(writes, service, "after")],
  "istio rollout rolled back later": (writes) => [first(writes, web, "after")],
};
