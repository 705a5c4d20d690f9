import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseManifest } from "../../shared/manifest/parseManifest.ts";
import { type ChartCases, caseFiles, chartOf, openChartCases } from "./chartCases.ts";
import type { Standing } from "./environmentSuite.ts";

const deployment = { apiVersion: "apps/v1", kind: "Deployment" };
const statefulSet = { apiVersion: "apps/v1", kind: "StatefulSet" };

/** What is stored, shown and compared of a release is what Helm applied: the same on every cluster. */
export function chartTruthSuite(cluster: string, open: () => Promise<Standing>): void {
  let cases: ChartCases;
  beforeAll(async () => {
    cases = await openChartCases(open);
  });
  afterAll(() => cases.close());

  /** Of the ConfigMap in a manifest. */
  const idIn = (text: string): unknown => {
    const object = parseManifest(text).find(({ kind }) => kind === "ConfigMap");
    return (object?.data as Record<string, unknown> | undefined)?.id;
  };
  const textAt = async (path: string): Promise<string> => {
    const answer = await cases.slipway.call("GET", `${path}projectKey=${cases.project}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  };
  const idOf = async (service: string): Promise<unknown> =>
    idIn(await textAt(`/openapi/environments/service/yaml?envName=dev&serviceName=${service}&`));
  const idByHelm = async (service: string, revision: number): Promise<unknown> =>
    idIn(await cases.helm("get", "manifest", service, "--revision", String(revision)));
  const inSync = async () => expect(await cases.drift()).toMatchObject({ in_sync: true, objects: [] });
  const replicasOf = async (name: string, ref = deployment): Promise<unknown> =>
    ((await cases.find({ ...ref, name }))?.spec as { replicas?: number } | undefined)?.replicas;
  const setByHand = (name: string, replicas: number, ref = deployment) =>
    cases.client.patch({ ...ref, namespace: cases.namespace, name }, { type: "merge", body: { spec: { replicas } } });

  describe(`what a release should be on ${cluster}`, () => {
    test("is what stands after a deployment, whatever the server filled in; a change by hand is named", async () => {
      await cases.make("df", caseFiles("defaulted-fields"));
      expect(await cases.deploy("df")).toBe("");
      await inSync();
      const env = [{ name: "HAND", value: "1" }];
      const spec = { template: { spec: { containers: [{ name: "main", env }] } } };
      const object = { ...statefulSet, metadata: { name: "df", namespace: cases.namespace }, spec };
      await cases.client.apply(object, { fieldManager: "kubectl-set", force: true });
      const { in_sync, objects } = await cases.drift();
      expect(in_sync).toBe(false);
      expect(objects.map(({ kind, name }) => [kind, name])).toEqual([["StatefulSet", "df"]]);
      expect(objects[0]?.fields.map(({ path }) => path).join()).toMatch(
        /^spec\.template\.spec\.containers\[[^\]]*\]\.env\S*$/,
      );
      await cases.remove("df");
    });

    test("is what stands of a network policy, a probe and a cron job as well", async () => {
      const templates = {
        policy:
          "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: more}\nspec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}\n",
        cron: 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: more}\nspec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1", resources: {limits: {cpu: 1000m, memory: 1024Mi}}}]}}}}}\n',
        probe:
          "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: more}\nspec: {selector: {matchLabels: {app: more}}, updateStrategy: {}, template: {metadata: {labels: {app: more}}, spec: {containers: [{name: main, image: 'nginx:1', livenessProbe: {httpGet: {path: /, port: 80}}, envFrom: [{configMapRef: {name: x, optional: true}}]}]}}}\n",
      };
      await cases.make("more", chartOf("more", templates));
      expect(await cases.deploy("more")).toBe("");
      await inSync();
      expect(await cases.deploy("more", "x: 1")).toBe("");
      await inSync();
      await cases.remove("more");
    });

    test("is not what another rendering says", async () => {
      await cases.make("rv", caseFiles("random-values"));
      expect(await cases.deploy("rv")).toBe("");
      await inSync();
      expect(await idOf("rv")).toBe(await idByHelm("rv", 1));
      expect(await cases.deploy("rv", "x: 1")).toBe("");
      await inSync();
      expect(await idOf("rv")).toBe(await idByHelm("rv", 2));
      const difference = await textAt("/openapi/environments/dev/service/rv/versions/1/diff/2?");
      expect(difference).toContain(`-  id: ${await idByHelm("rv", 1)}\n`);
      expect(difference).toContain(`+  id: ${await idByHelm("rv", 2)}\n`);
      const history = await cases.helm("history", "rv", "-o", "json");
      expect(await cases.deploy("rv", "x: 1")).toBe("");
      expect(await cases.helm("history", "rv", "-o", "json")).toBe(history);
      await cases.remove("rv");
    });

    test("knows its revision, and whether it was an upgrade", async () => {
      const told =
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: told}\ndata: {id: "{{ .Release.Revision }} {{ .Release.IsUpgrade }} {{ .Values.x }}"}\n';
      await cases.make("told", chartOf("told", { told }, "x: 0\nfail: false\n"));
      for (const x of [1, 2]) {
        expect(await cases.deploy("told", `x: ${x}`)).toBe("");
        await inSync();
        expect(await idOf("told")).toBe(`${x} ${x > 1} ${x}`);
      }
      await cases.rollback("told", 1);
      await inSync();
      expect(await idOf("told")).toBe("3 true 1");
      await cases.remove("told");
    });

    test("is what runs after an upgrade that failed, and so are the values of the next one", async () => {
      const config =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: back}\ndata: {id: {{ randAlphaNum 8 | quote }}, x: {{ .Values.x | quote }}}\n";
      const hook =
        '{{ if .Values.fail }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: back-hook, annotations: {helm.sh/hook: pre-upgrade}}\nspec: {backoffLimit: 0, activeDeadlineSeconds: 1, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "x:crash"}]}}}\n{{ end }}\n';
      await cases.make("back", chartOf("back", { config, hook }, "x: 0\nfail: false\n"));
      expect(await cases.deploy("back", "x: 1")).toBe("");
      expect(await cases.deploy("back", "x: 3\nfail: true")).toContain("back at version 1");
      await inSync();
      expect(await cases.deploy("back")).toBe("");
      const values = JSON.parse(await cases.helm("get", "values", "back", "-o", "json"));
      expect(values).toMatchObject({ x: 1 });
      await inSync();
      await cases.remove("back");
    });
  });

  describe(`the number of pods of a release on ${cluster}`, () => {
    test("goes back with a rollback, and later values count", async () => {
      await cases.make("rp", caseFiles("replicas-rollback"));
      for (const count of [1, 3]) expect(await cases.deploy("rp", `replicas: ${count}`)).toBe("");
      expect((await cases.rollback("rp", 1, true)).map(({ diff }) => diff).join()).toContain("replicas: 1");
      await cases.rollback("rp", 1);
      expect(await replicasOf("rp")).toBe(1);
      await inSync();
      for (const count of [2, 5]) {
        expect(await cases.deploy("rp", `replicas: ${count}`)).toBe("");
        expect(await replicasOf("rp")).toBe(count);
        expect(await cases.helm("get", "manifest", "rp")).toContain(`replicas: ${count}`);
        await inSync();
      }
      const [shown] = await cases.preview("rp", "replicas: 4");
      expect(shown).toMatchObject({ action: "change" });
      expect(shown?.diff).toContain("+  replicas: 4");
      await cases.remove("rp");
    });

    test("stays where somebody else set it, until it is what the chart renders; the preview says so", async () => {
      const chart = (kind: string) =>
        `apiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: held}\nspec: {serviceName: held, replicas: {{ .Values.count }}, selector: {matchLabels: {app: held}}, template: {metadata: {labels: {app: held}}, spec: {containers: [{name: main, image: "nginx:1"}]}}}\n`;
      await cases.make("held", chartOf("held", { held: chart("StatefulSet") }, "count: 1\n"));
      expect(await cases.deploy("held", "count: 2")).toBe("");
      await setByHand("held", 6, statefulSet);
      const [kept] = await cases.preview("held", "count: 7");
      expect(kept?.note).toContain("keeps its 6 replicas");
      expect(kept?.note).toContain("the chart renders 7");
      expect(await cases.deploy("held", "count: 7")).toBe("");
      expect(await replicasOf("held", statefulSet)).toBe(6);
      await inSync();
      expect((await cases.rollback("held", 1, true))[0]?.note).toContain("the chart renders 2");
      await setByHand("held", 7, statefulSet);
      expect(await cases.deploy("held", "count: 3")).toBe("");
      expect(await replicasOf("held", statefulSet)).toBe(3);
      await cases.remove("held");
    });

    test("is an autoscaler's where the chart brings one", async () => {
      const templates = {
        web: 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: hpa}\nspec: {replicas: {{ .Values.count }}, selector: {matchLabels: {app: hpa}}, template: {metadata: {labels: {app: hpa}}, spec: {containers: [{name: main, image: "nginx:1"}]}}}\n',
        hpa: "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: hpa}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: hpa}, minReplicas: 1, maxReplicas: 9, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}\n",
      };
      await cases.make("hpa", chartOf("hpa", templates, "count: 1\n"));
      expect(await cases.deploy("hpa", "count: 1")).toBe("");
      await setByHand("hpa", 4);
      expect(await cases.deploy("hpa", "count: 2")).toBe("");
      expect(await replicasOf("hpa")).toBe(4);
      await inSync();
      await cases.remove("hpa");
    });
  });

  test(`a release that helm made is taken over, never overwritten, on ${cluster}`, async () => {
    const files = caseFiles("adoption");
    const folder = cases.folderOf(files);
    await cases.helm("install", "ad", folder, "--set", "replicas=2");
    await cases.make("ad", files);
    const refused = await cases.send({ service_name: "ad" });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("import")]);
    expect(JSON.parse(await cases.helm("list", "-o", "json"))).toMatchObject([{ name: "ad", revision: "1" }]);
    const pods = async () =>
      (
        await cases.client.list(
          { apiVersion: "v1", kind: "Pod" },
          { namespace: cases.namespace, labelSelector: "app=ad" },
        )
      ).items
        .map(({ metadata }) => metadata.uid)
        .sort();
    await expect.poll(async () => (await pods()).length, { timeout: 30_000 }).toBe(2);
    const before = await pods();
    expect(await cases.deploy("ad", undefined, { deploy_strategy: "import" })).toBe("");
    expect(await pods()).toEqual(before);
    await inSync();
    expect(await cases.deploy("ad", "replicas: 3")).toBe("");
    expect(await replicasOf("ad")).toBe(3);
    expect(JSON.parse(await cases.helm("list", "-o", "json"))).toMatchObject([{ name: "ad", revision: "2" }]);
    await cases.remove("ad");
    expect(JSON.parse(await cases.helm("list", "-o", "json"))).toEqual([]);
  });
}
