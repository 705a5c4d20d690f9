import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import * as errors from "../../../../shared/kube/client/errors.ts";
import {
  ClusterNotReady,
  ClusterUnknown,
  describeClusterError,
  openCluster,
} from "../../../../shared/kube/clusters/openCluster.ts";
import { reportClusterStatus } from "../../../../shared/kube/clusters/reportClusterStatus.ts";
import { seedLocalCluster } from "../../../../shared/kube/clusters/seedLocalCluster.ts";
import { findCluster, localClusterId } from "../../../../shared/kube/clusters/store/clusters.ts";
import { pendingCluster } from "../../../harness/pendingCluster.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;
let sandbox: string;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "" } });
  sandbox = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
});

afterAll(() => slipway.close());

const namespaces = { apiVersion: "v1", kind: "Namespace" };

describe("opening a cluster", () => {
  test("the machine's own cluster is reached although nothing else on loopback may be", async () => {
    const { client } = await openCluster(localClusterId);
    expect((await client.list(namespaces)).items.length).toBeGreaterThan(0);
    const answer = await slipway.call("POST", "/openapi/system/cluster", {
      body: { name: "same-by-api", type: "kubeconfig", kube_config: sandbox },
    });
    expect(answer.json).toMatchObject({ code: 400, description: expect.stringContaining("address is not allowed") });
  });

  test("one client serves a cluster, also when many ask at once, until its credentials change", async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => openCluster(localClusterId)));
    expect(new Set(opened.map(({ client }) => client)).size).toBe(1);
    await reportClusterStatus(localClusterId, "abnormal", "for a moment");
    expect((await openCluster(localClusterId)).client).toBe(opened[0]?.client);
    await seedLocalCluster(sandbox);
    const after = await openCluster(localClusterId);
    expect(after.client).not.toBe(opened[0]?.client);
    expect((await after.client.list(namespaces)).items.length).toBeGreaterThan(0);
  });

  test("an unknown cluster and one whose agent is missing have errors of their own", async () => {
    await expect(openCluster("0123456789abcdef00000000")).rejects.toBeInstanceOf(ClusterUnknown);
    await expect(openCluster(await pendingCluster("edge"))).rejects.toBeInstanceOf(ClusterNotReady);
  });
});

describe("the machine's own cluster", () => {
  test("follows the kubeconfig of the start and keeps what an administrator changed", async () => {
    const at = `/openapi/system/cluster/${localClusterId}`;
    await slipway.call("PUT", at, { body: { name: "mine", description: "d", project_names: ["shop"] } });
    await seedLocalCluster(sandbox.replace(/server: .*/, "server: https://127.0.0.1:9"));
    const { record, client } = await openCluster(localClusterId);
    expect(record).toMatchObject({
      name: "mine",
      description: "d",
      projectNames: ["shop"],
      trusted: true,
      local: true,
    });
    await expect(client.version({ deadlineSeconds: 1 })).rejects.toBeInstanceOf(errors.ClusterUnreachable);
    await seedLocalCluster(sandbox);
  });
});

describe("the status of a cluster", () => {
  test("is written only when it changed, and costs nothing when the record is at hand and did not", async () => {
    const record = await findCluster(localClusterId);
    if (record === undefined) throw new Error("there is no local cluster");
    const same = await recordStoreCalls(() => reportClusterStatus(record, "normal"));
    expect(same.calls).toEqual([]);
    const changed = await recordStoreCalls(() => reportClusterStatus(record, "abnormal", "down"));
    expect(changed.calls.map(({ kind }) => kind)).toEqual(["write"]);
    expect(await findCluster(localClusterId)).toMatchObject({ status: "abnormal", statusMessage: "down" });
    await reportClusterStatus(localClusterId, "normal");
    expect(await findCluster(localClusterId)).toMatchObject({ status: "normal", statusMessage: "" });
  });

  test("is left alone by who knows an older record, and of an agent that never connected", async () => {
    const record = await findCluster(localClusterId);
    if (record === undefined) throw new Error("there is no local cluster");
    await reportClusterStatus({ ...record, version: record.version - 1 }, "abnormal", "old news");
    expect(await findCluster(localClusterId)).toMatchObject({ status: "normal" });
    const agent = await pendingCluster("edge-two");
    await reportClusterStatus(agent, "normal");
    expect(await findCluster(agent)).toMatchObject({ status: "pending" });
  });
});

describe("the sentence for users", () => {
  const abstracts = ["ClusterError", "RetryableClusterError", "TerminalClusterError"];
  const names = Object.keys(errors).filter((name) => !abstracts.includes(name));

  test("exists for every error of the client and holds its message", () => {
    const made = [
      new errors.ClusterUnreachable("why", "ECONNREFUSED"),
      new errors.ClusterBusy("why", 503),
      new errors.ClusterExpired("why"),
      new errors.ClusterCallAborted("why"),
      new errors.ClusterRefused("why", 401),
      new errors.ClusterConflict("why", []),
      new errors.ClusterAlreadyExists("why"),
      new errors.ClusterInvalid("why", 422),
      new errors.ClusterNotFound("why"),
      new errors.ClusterKindUnknown("why"),
      new errors.NamespaceTerminating("why"),
      new errors.ClusterCertificateInvalid("why"),
      new errors.ClusterAddressRefused("why"),
      new errors.ClusterCredentialsInvalid("why"),
      new errors.ClusterAnswerUnreadable("why"),
    ];
    expect(made.map(({ name }) => name).sort()).toEqual(names.sort());
    const sentences = [...made, new ClusterUnknown("why"), new ClusterNotReady("why")].map(describeClusterError);
    for (const sentence of sentences) expect(sentence).toContain("why");
  });

  test("is not made of what was never meant for users", () => {
    expect(describeClusterError(new TypeError("cannot read properties of undefined"))).toBeUndefined();
  });
});
