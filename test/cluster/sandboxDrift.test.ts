import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "../infra/local/cluster/harness.ts";
import { type RawClient, rawClient } from "../infra/local/cluster/rawClient.ts";
import { outcome, play, prepare } from "./sandboxDriftPlay.ts";
import { type Scenario, scenarios } from "./sandboxDriftScenarios.ts";

const path = process.env.KUBECONFIG;
if (!path) console.warn("KUBECONFIG is not set: the sandbox is not compared with a real API server");

describe.skipIf(!path)("the sandbox answers as the real API server does", () => {
  let harness: Harness;
  let real: RawClient;
  const namespaces: string[] = [];
  beforeAll(async () => {
    harness = await startHarness();
    real = rawClient(readFileSync(path!, "utf8"));
  });
  afterAll(async () => {
    for (const name of namespaces) await real.send("DELETE", `/api/v1/namespaces/${name}`);
    real.close();
    await harness.stop();
  });

  it.each(scenarios.map((scenario): [string, Scenario] => [scenario.name, scenario]))("%s", async (_, scenario) => {
    const namespace = `drift-${process.pid}-${scenarios.indexOf(scenario)}`;
    namespaces.push(namespace);
    for (const client of [real, harness.raw]) await prepare(client, namespace);
    for (const [i, step] of scenario.steps.entries()) {
      const truth = await play(real, step, namespace);
      const played = await play(harness.raw, step, namespace);
      const label = `step ${i + 1}: ${step.method} ${step.path}`;
      expect.soft({ label, ...outcome(played, step) }).toEqual({ label, ...outcome(truth, step) });
    }
  });
});
