import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "./boutique.ts";
import { makeChartEnvironment, makeChartProject, readStoredChart, untilChanged } from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";
import { type HookReceiver, startHookReceiver } from "./hookReceiver.ts";
import { chartFiles } from "./packedChart.ts";
import type { Answer } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

const environments = "/openapi/environments";
const json = JSON.stringify;
const mark = `mark${randomBytes(12).toString("hex")}`;
const number = Number.parseInt(randomBytes(6).toString("hex"), 16);
/** What stands in the cluster when a patch is refused. */
const kept = `kept${randomBytes(12).toString("hex")}`;
const spellings = [mark, kept].flatMap((text) => [
  text,
  // Wherever in a longer text it begins.
  ...[0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + text)
      .toString("base64")
      .slice(4, -4),
  ),
]);
const leaksIn = (text: string) => [...spellings, String(number)].filter((one) => text.includes(one));

/** Secrets that an API server refuses, and mostly repeats. */
const refused: Readonly<Record<string, object>> = {
  number: { stringData: { password: number } },
  map: { stringData: { password: { a: mark } } },
  list: { data: { password: [mark] } },
  text: { stringData: mark },
  base64: { data: { password: `${mark}"!` } },
  key: { stringData: { "bad key!": mark } },
  docker: { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": `{${mark}` } },
  large: { stringData: { password: mark.repeat(50_000) } },
};
const secret = (name: string, more: object) => json({ apiVersion: "v1", kind: "Secret", metadata: { name }, ...more });

/** Patches of `held` that are refused, by the way they patch. */
const patches: Readonly<Record<string, unknown>> = {
  merge: { data: { other: `${mark}!` } },
  "strategic-merge": { data: { other: `${mark}!` } },
  json: [{ op: "add", path: "/data/other", value: { a: mark } }],
};

/**
 * What is shown and sent of Secrets that the cluster refuses (decisions 17.5), the same on every cluster.
 * @param accepted those that this cluster takes all the same
 */
export function secretRefusalSuite(
  cluster: string,
  open: (settings: Record<string, string>) => Promise<Standing>,
  accepted: readonly string[] = [],
): void {
  const cases = Object.entries(refused).filter(([name]) => !accepted.includes(name));
  const id = randomBytes(3).toString("hex");
  const namespaces = ["plain", "charts"].map((name) => `slipway-test-${id}-${name}`) as [string, string];
  let standing: Standing;
  let client: ClusterClient;
  let receiver: HookReceiver;

  const call = <T = { description: string }>(method: string, path: string, body?: object): Promise<Answer<T>> =>
    standing.slipway.call<T>(method, path, { ...(body && { body }) });
  const succeed = async (method: string, path: string, body?: object) => {
    const { status, text } = await call(method, path, body);
    expect(status, `${method} ${path}: ${text}`).toBe(200);
  };
  const config = (name: string, more: object) => ({
    ...{ env_name: "dev", name, common_env_cfg_type: "Secret", yaml_data: secret(name, more) },
  });

  beforeAll(async () => {
    standing = await open({ SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" });
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    receiver = await startHookReceiver();
    const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    await succeed("POST", "/openapi/projects/project", {
      ...{ project_name: "Plain", project_key: "plain", is_public: false, project_type: "yaml" },
    });
    await succeed("POST", `${environments}?projectKey=plain`, { env_key: "dev", namespace: namespaces[0], ...place });
    await untilChanged(standing.slipway, "plain", "dev");
    await succeed("POST", `${environments}/dev/envcfgs?projectKey=plain`, config("held", { stringData: { kept } }));
    const template = `{{- with .Values.pick }}{{ $.Files.Get (printf "bad/%s.json" .) }}{{ end }}\n`;
    const bad = Object.entries(refused).map(([name, more]) => [`bad/${name}.json`, secret(name, more)]);
    const files = { ...chartFiles("1.0.0"), ...Object.fromEntries(bad), "templates/secret.yaml": template };
    await makeChartProject(standing.slipway, "charts", files);
    await readStoredChart(standing.slipway, "charts", { service_name: "web" });
    await makeChartEnvironment(standing.slipway, "charts", { env_name: "dev", namespace: namespaces[1] });
    await untilChanged(standing.slipway, "charts", "dev");
  }, 240_000);

  afterAll(async () => {
    for (const name of namespaces)
      await client.remove({ apiVersion: "v1", kind: "Namespace", name }).catch(() => undefined);
    client.close();
    await standing.slipway.close();
    await receiver.close();
  });

  describe(`a Secret that is refused by ${cluster}`, () => {
    test.each(cases)("is told without its values by deployments and configurations: %s", async (name, more) => {
      const service = { service_name: name, yaml: secret(name, more) };
      const made = await call("POST", "/openapi/service/yaml/raw?projectKey=plain", service);
      const body = { env_key: "dev", service_list: [{ service_name: name }] };
      const deployed = await call("POST", `${environments}/service/yaml?projectKey=plain`, body);
      await untilChanged(standing.slipway, "plain", "dev");
      const detail = await call<{ services: { service_name: string; error: string }[] }>(
        "GET",
        `${environments}/dev?projectKey=plain`,
      );
      const error = detail.json.services.find((one) => one.service_name === name)?.error ?? "";
      const told = [made, deployed].find(({ status }) => status !== 200)?.json.description ?? error;
      expect(told).toMatch(/Secret/);
      const saved = await call("POST", `${environments}/dev/envcfgs?projectKey=plain`, config(`cfg-${name}`, more));
      for (const { text } of [made, deployed, detail, saved]) expect(leaksIn(text)).toEqual([]);
    });

    test.each(cases)("is told without its values by a chart: %s", async (pick) => {
      const services = [{ service_name: "web", values_yaml: json({ pick }) }];
      const deployed = await call("POST", `${environments}/helm/dev/services?projectKey=charts`, { services });
      await untilChanged(standing.slipway, "charts", "dev");
      const detail = await call("GET", `${environments}/dev?projectKey=charts`);
      expect(deployed.status === 200 ? detail.text : deployed.json.description).toMatch(/Secret/);
      for (const { text } of [deployed, detail]) expect(leaksIn(text)).toEqual([]);
    });

    test.each(Object.entries(patches))(
      "keeps what it holds to itself when a %s patch fails",
      async (strategy, content) => {
        const patch = { patch_strategy: strategy, patch_content: json(content) };
        const item = { resource_name: "held", resource_kind: "Secret", resource_version: "v1", ...patch };
        const spec = { cluster_id: localClusterId, namespace: namespaces[0], patch_items: [item] };
        const name = `patch-${strategy}`;
        const address = `${receiver.url}/${name}`;
        await succeed("POST", "/openapi/workflows/custom", {
          ...{ name, display_name: name, project: "plain" },
          stages: [{ name: "patch", jobs: [{ name: "patch", type: "k8s-resource-patch", spec }] }],
          notify_ctls: [
            {
              ...{ enabled: true, webhook_type: "webhook", notify_type: ["failed"] },
              webhook_notification_config: { address },
            },
          ],
        });
        const target = { resource_name: "held", resource_kind: "Secret", resource_version: "v1", inputs: [] };
        const input = { job_name: "patch", job_type: "k8s-resource-patch", parameters: { target_list: [target] } };
        await succeed("POST", "/openapi/workflows/custom/task", {
          project_key: "plain",
          workflow_key: name,
          inputs: [input],
        });
        const path = `/openapi/workflows/custom/task?projectKey=plain&workflowKey=${name}&taskId=1`;
        const { text } = await waitFor("the task to end", async () => {
          const task = await call<{ status: string }>("GET", path);
          return ["passed", "failed"].includes(task.json.status) && task;
        });
        const [sent] = await receiver.receivedOn(`/${name}`, 1);
        expect(text).toContain("held");
        expect(JSON.parse(sent?.body ?? "").workflow.stages[0].jobs[0].error).toMatch(/Secret/);
        for (const one of [text, sent?.body ?? ""]) expect(leaksIn(one)).toEqual([]);
      },
    );

    test("stands in no line of the log without its values", () => {
      const log = readFileSync(join(standing.slipway.dataDir, "log.ndjson"), "utf8");
      expect(log).toContain('"requestId"');
      expect(leaksIn(log)).toEqual([]);
    });
  });
}
