import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localClusterId } from "../../../harness/boutique.ts";
import {
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
/** A project administrator of charts and of plain. */
let token: string;

const pod = (fields: string) => `{restartPolicy: Never, ${fields}, containers: [{name: main, image: busybox}]}`;
/** What a chart brings in when the value of its name is set. */
const extras: Readonly<Record<string, { template: string; says: string }>> = {
  workload: {
    template: `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: ${pod("hostNetwork: true")}}}}}\n`,
    says: "host namespaces",
  },
  hook: {
    template: `apiVersion: batch/v1\nkind: Job\nmetadata: {name: before, annotations: {helm.sh/hook: "pre-install,pre-upgrade"}}\nspec: {template: {spec: ${pod("hostPID: true")}}}\n`,
    says: "host namespaces",
  },
  role: {
    template: `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reads-all}\nrules: []\n`,
    says: "belongs to the whole cluster",
  },
};

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const templates = Object.entries(extras).map(([name, { template }]) => [
    `templates/${name}.yaml`,
    `{{- if .Values.${name} }}\n${template}{{- end }}\n`,
  ]);
  await makeChartProject(slipway, "charts", { ...chartFiles("1.0.0"), ...Object.fromEntries(templates) });
  await readStoredChart(slipway, "charts", { service_name: "web" });
  await makeChartEnvironment(slipway, "charts", { env_name: "dev", namespace: "charts-dev", production: false });
  await untilChanged(slipway, "charts", "dev");
  const project = { project_name: "plain", project_key: "plain", is_public: false, project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
  token = (
    await storedPerson(
      "pa",
      { namespace: "charts", roles: { "project-admin": [] } },
      { namespace: "plain", roles: { "project-admin": [] } },
    )
  ).token;
});

afterAll(() => slipway.close());

const path = "/openapi/environments/helm/dev/services?projectKey=charts";
const deploy = (values_yaml: string, as: string | undefined, query = "") =>
  slipway.call("POST", path + query, {
    ...{ body: { services: [{ service_name: "web", values_yaml }] }, ...(as && { token: as }) },
  });

describe("a chart of a project", () => {
  test.each(Object.entries(extras))("does not bring in a %s outside of its boundary", async (name, { says }) => {
    for (const query of ["", "&dryRun=true"]) {
      const { status, text } = await deploy(`${name}: true`, token, query);
      expect([status, text]).toEqual([400, expect.stringContaining(says)]);
      expect(text).toContain("/openapi/system/projects/charts/boundary");
    }
  });

  test("brings in the rest, and for a system administrator everything", async () => {
    expect((await deploy("color: red", token)).status).toBe(200);
    await untilChanged(slipway, "charts", "dev");
    expect((await deploy("workload: true\nrole: true", undefined)).status).toBe(200);
    await untilChanged(slipway, "charts", "dev");
  });

  test("goes back to what an administrator brought in, where an upgrade within the boundary fails", async () => {
    const { text } = await deploy("workload: false\nrole: false\nfail: true", token);
    expect(text).toContain("asked to fail");
    const list = await slipway.call<{ env_key: string; status: string }[]>(
      "GET",
      "/openapi/environments?projectKey=charts",
    );
    expect(list.json.find(({ env_key }) => env_key === "dev")?.status).toBe("success");
  });
});

describe("a patch of a job", () => {
  test("makes no pod that its project may not deploy", async () => {
    const succeed = async (at: string, body: object) => {
      const { status, text } = await slipway.call("POST", at, { body, token });
      expect(status, text).toBe(200);
    };
    const yaml = `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web}\nspec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: ${pod("hostNetwork: false")}}}}}\n`;
    await succeed("/openapi/service/yaml/raw?projectKey=plain", { service_name: "web", yaml });
    await succeed("/openapi/environments?projectKey=plain", {
      ...{
        env_key: "dev",
        namespace: "plain-dev",
        cluster_id: localClusterId,
        registry_id: "0123456789abcdef12345679",
      },
      services: [{ service_name: "web" }],
    });
    await untilChanged(slipway, "plain", "dev");
    const patch = (hostNetwork: boolean) => ({
      ...{ resource_name: "web", resource_kind: "CronJob", resource_group: "batch", resource_version: "v1" },
      patch_content: `spec: {jobTemplate: {spec: {template: {spec: {hostNetwork: ${hostNetwork}}}}}}`,
    });
    for (const [name, hostNetwork, end] of [
      ["open", true, "failed"],
      ["shut", false, "passed"],
    ] as const) {
      const spec = { cluster_id: localClusterId, namespace: "plain-dev", patch_items: [patch(hostNetwork)] };
      const stages = [{ name: "patch", jobs: [{ name: "patch", type: "k8s-resource-patch", spec }] }];
      await succeed("/openapi/workflows/custom", { name, display_name: name, project: "plain", stages });
      const { patch_content: _content, ...target } = { ...patch(hostNetwork), inputs: [] };
      const inputs = [{ job_name: "patch", job_type: "k8s-resource-patch", parameters: { target_list: [target] } }];
      await succeed("/openapi/workflows/custom/task", { project_key: "plain", workflow_key: name, inputs });
      const at = `/openapi/workflows/custom/task?projectKey=plain&workflowKey=${name}&taskId=1`;
      const ended = await waitFor("the task to end", async () => {
        const { json, text } = await slipway.call<{ status: string }>("GET", at);
        return ["passed", "failed"].includes(json.status) && text;
      });
      expect(ended).toContain(`"status":"${end}"`);
      if (end === "failed") expect(ended).toContain("host namespaces");
    }
  });
});
