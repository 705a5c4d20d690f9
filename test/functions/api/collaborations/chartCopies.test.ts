import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  untilChanged,
} from "../../../harness/chartProject.ts";
import { chartFiles } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { storedPerson } from "../../../security/storedPerson.ts";

let slipway: Slipway;
let command: HelmCommand;

beforeAll(async () => {
  slipway = await startSlipway();
  command = helmCommand(readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"));
  await makeChartProject(slipway, "copied", chartFiles("1.0.0"));
  for (const service_name of ["web", "draft"]) await readStoredChart(slipway, "copied", { service_name });
  await makeChartEnvironment(slipway, "copied", { env_name: "dev", namespace: "copied-dev" });
  await untilChanged(slipway, "copied", "dev");
  await ok("PUT", "/openapi/environments/dev/defaultValues", { default_values: "tier: gold" });
  await ok("POST", "/openapi/environments/helm/dev/services", {
    services: [
      { service_name: "web", values_yaml: "color: blue\nreplicaCount: 2" },
      { service_name: "draft", deploy_strategy: "draft" },
    ],
  });
  await untilChanged(slipway, "copied", "dev");
  await ok("POST", "/openapi/environments/image/deployment/dev", {
    ...{ product_name: "copied", service_name: "web", name: "web", container_name: "main" },
    image: "registry.example.com/team/web:v7",
  });
  await untilChanged(slipway, "copied", "dev");
});

afterAll(async () => {
  command.close();
  await slipway.close();
});

async function ok(method: string, path: string, body: object): Promise<void> {
  const answer = await slipway.call(method, `${path}?projectKey=copied`, { body });
  expect(answer.status, answer.text).toBe(200);
}

test("a mode's copy of an environment of charts has releases of its own, with the values of the original", async () => {
  const person = await storedPerson("chart-copier");
  const envs = [{ name: "dev", collaboration_type: "new", verbs: ["get_environment", "config_environment"] }];
  await ok("POST", "/openapi/collaborations", { project_key: "copied", name: "own", user_ids: [person.uid], envs });
  const name = `own-dev-system-${person.uid.slice(0, 13)}`;
  await waitFor("the copy to stand", async () => {
    const { text } = await slipway.call("GET", `/openapi/environments/${name}?projectKey=copied`);
    return text.includes('"stored_status":"success"');
  });
  const path = `/openapi/environments/${name}?projectKey=copied`;
  const detail = await slipway.call<{ services: object[]; namespace: string }>("GET", path, { token: person.token });
  expect(detail.json.services).toMatchObject([{ service_name: "web", type: "helm", error: "" }]);
  const helm = async (...args: string[]) => JSON.parse(await command.run(detail.json.namespace, ...args, "-o", "json"));
  expect(await helm("list")).toMatchObject([{ name: "web", revision: "1", status: "deployed" }]);
  expect(await helm("get", "values", "web")).toMatchObject({
    ...{ color: "blue", replicaCount: 2, tier: "gold" },
    image: { repository: "registry.example.com/team/web", tag: "v7" },
  });
  const defaults = `/openapi/environments/${name}/defaultValues?projectKey=copied`;
  expect((await slipway.call("GET", defaults)).json).toEqual({ default_values: "tier: gold" });
});
