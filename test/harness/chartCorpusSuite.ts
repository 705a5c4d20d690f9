import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mapBounded } from "../../shared/base/common/mapBounded.ts";
import { isPullSecret, policyAnnotation } from "../../shared/kube/apply/marks.ts";
import type { ClusterClient, KindRef, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { HELM_LIMITS } from "../../shared/manifest/limits.ts";
import { parseManifest } from "../../shared/manifest/parseManifest.ts";
import type { KubeObject } from "../../shared/manifest/schema/kubeObject.ts";
import { mergeValues } from "../../shared/packaging/helm/rules/mergeValues.ts";
import { detailOf } from "./boutique.ts";
import { type HelmCommand, helmCommand, makeChartEnvironment, readStoredChart, untilChanged } from "./chartProject.ts";
import { comparable } from "./corpus/comparable.ts";
import { chartFilesOf, chartValuesOf } from "./corpus/readCharts.ts";
import type { CorpusPlace } from "./corpus/readCorpus.ts";
import { type ReleaseRecord, releaseRecords } from "./corpus/releaseRecords.ts";
import type { Standing } from "./environmentSuite.ts";
import { packedChart } from "./packedChart.ts";
import type { Slipway } from "./slipway.ts";

const kindsOf = (apiVersion: string, ...kinds: string[]): KindRef[] => kinds.map((kind) => ({ apiVersion, kind }));
const namespacedKinds = [
  ...kindsOf("v1", "ConfigMap", "Secret", "Service", "ServiceAccount", "PersistentVolumeClaim", "Pod"),
  ...kindsOf("v1", "LimitRange", "ResourceQuota"),
  ...kindsOf("apps/v1", "Deployment", "StatefulSet", "DaemonSet"),
  ...kindsOf("batch/v1", "Job", "CronJob"),
  ...kindsOf("networking.k8s.io/v1", "Ingress", "NetworkPolicy"),
  ...kindsOf("rbac.authorization.k8s.io/v1", "Role", "RoleBinding"),
  ...kindsOf("policy/v1", "PodDisruptionBudget"),
  ...kindsOf("autoscaling/v2", "HorizontalPodAutoscaler"),
  ...kindsOf("discovery.k8s.io/v1", "EndpointSlice"),
];
const webhooks = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy"];
const clusterKinds = [
  ...kindsOf("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
  ...kindsOf("rbac.authorization.k8s.io/v1", "ClusterRole", "ClusterRoleBinding"),
  ...kindsOf("scheduling.k8s.io/v1", "PriorityClass"),
  ...kindsOf("storage.k8s.io/v1", "StorageClass"),
  ...kindsOf("networking.k8s.io/v1", "IngressClass"),
  ...kindsOf("admissionregistration.k8s.io/v1", ...webhooks),
];
const group = "corpus.slipway.test";
/** So many charts at a time; the rest of the processors is the cluster's. */
const atOnce = 3;

type Step = Parameters<typeof chartValuesOf>[1];

/** An environment of Slipway, and beside it a namespace that only Helm's command changes. */
interface Pair {
  env: string;
  charts: readonly string[];
  ours: CorpusPlace;
  theirs: CorpusPlace;
}

/** For claims: the cluster provisions none. */
const volume = (name: string): KubeObject => ({
  ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name } },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/none" } },
});

/** Null takes a value away. */
const withoutNull = (_key: string, value: unknown) => (value === null ? undefined : value);

/** Places at which two values differ, with both. */
function differences(ours: unknown, theirs: unknown, at = ""): string[] {
  if (isDeepStrictEqual(ours, theirs)) return [];
  const both = [ours, theirs];
  if (!both.every((one) => typeof one === "object" && one !== null))
    return [`${at}: ${both.map((one) => (JSON.stringify(one) ?? "nothing").slice(0, 200)).join(" by helm ")}`];
  const [left, right] = both as [Record<string, unknown>, Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], `${at}/${key}`));
}

/**
 * Charts of many shapes, each deployed by Slipway and by `helm` beside it on one API server: the same objects, field by
 * field, the same releases, no drift, and nothing changed by a second deployment.
 */
export function chartCorpusSuite(names: readonly string[], open: () => Promise<Standing>): void {
  const tag = randomBytes(3).toString("hex");
  const project = `corpus-${tag}`;
  let slipway: Slipway;
  let client: ClusterClient;
  let command: HelmCommand;
  const placeOf = (who: string): CorpusPlace => ({ namespace: `slipway-test-${who}-${tag}`, suffix: `${who}-${tag}` });
  const pairs = ["one", "two", "three"].map((env, at): Pair => {
    const charts = names.filter((_name, index) => index % 3 === at);
    return { env, charts, ours: placeOf(`ours-${env}`), theirs: placeOf(`helm-${env}`) };
  });
  const folders = new Map<string, string>();

  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await slipway.call<T>(method, `${path}${path.includes("?") ? "&" : "?"}projectKey=${project}`, {
      body,
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    command = helmCommand(standing.kubeconfig);
    const body = { project_name: project, project_key: project, is_public: false, project_type: "helm" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    const boundary = {
      namespaces: [],
      cluster_scoped_kinds: webhooks,
      pod_security: "baseline",
      privileged_jobs: false,
    };
    await call("PUT", `/openapi/system/projects/${project}/boundary`, boundary);
    for (const at of [1, 2, 3, 4, 5, 6]) await client.create(volume(`${tag}-${at}`));
    await mapBounded(pairs, 3, async (pair) => {
      await makeChartEnvironment(slipway, project, { env_name: pair.env, namespace: pair.ours.namespace });
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: pair.theirs.namespace } });
      for (const name of pair.charts) await makeService(pair, name);
      await untilChanged(slipway, project, pair.env);
    });
  }, 180_000);

  async function makeService({ ours, theirs }: Pair, name: string): Promise<void> {
    const template = `${project}-${name}`;
    await call("POST", "/api/aslan/template/charts", { name: template, source: "upload" });
    const content = (await packedChart(chartFilesOf(name, ours.suffix), name)).toString("base64");
    await call("POST", `/api/aslan/template/charts/${template}/upload`, { content });
    await readStoredChart(slipway, project, { service_name: name, template_name: template });
    const folder = command.folderOf(chartFilesOf(name, theirs.suffix));
    for (const step of ["install", "upgrade", "refused"] as const)
      writeFileSync(join(folder, `${step}-of-the-step.yaml`), chartValuesOf(name, step) ?? "");
    folders.set(name, folder);
  }

  afterAll(async () => {
    if (slipway === undefined) return;
    for (const { env } of pairs)
      await slipway.call("DELETE", `/openapi/environments/${env}?projectKey=${project}&isDelete=true`);
    for (const kind of [...clusterKinds, ...kindsOf("v1", "PersistentVolume")])
      for (const { metadata } of (await client.list(kind, {})).items)
        if (metadata.name.includes(tag)) await client.remove({ ...kind, name: metadata.name });
    for (const { ours, theirs } of pairs)
      for (const { namespace } of [ours, theirs])
        await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    command.close();
    client.close();
    await slipway.close();
  }, 180_000);

  /** Deploys all charts of an environment in one call, with their values of the step. @returns errors by chart */
  async function deploy({ env, charts }: Pair, step: Step): Promise<Record<string, string>> {
    const services = charts.map((name) => ({ service_name: name, values_yaml: chartValuesOf(name, step) ?? "" }));
    await call("POST", `/openapi/environments/helm/${env}/services`, { services });
    return errorsOf(env);
  }
  async function errorsOf(env: string): Promise<Record<string, string>> {
    await untilChanged(slipway, project, env);
    const { services } = await detailOf(slipway, project, env);
    return Object.fromEntries(services.flatMap(({ service_name, error }) => (error ? [[service_name, error]] : [])));
  }
  const byHelm = ({ theirs, charts }: Pair, step: Step, ...more: string[]) =>
    mapBounded(charts, atOnce, (name) => {
      const folder = folders.get(name) ?? "";
      const values = ["--values", join(folder, `${step}-of-the-step.yaml`)];
      return command.run(
        theirs.namespace,
        "upgrade",
        "--install",
        name,
        folder,
        "--force-conflicts",
        "--reset-values",
        ...values,
        ...more,
      );
    });
  const rollBack = async ({ env, charts }: Pair) => {
    for (const name of charts) {
      await call("POST", `/openapi/environments/${env}/service/${name}/versions/1/rollback`);
      expect(await errorsOf(env)).toEqual({});
    }
  };
  const remove = async ({ env, charts }: Pair) => {
    const body = { env_key: env, service_names: charts };
    await call("DELETE", "/openapi/environments/service/yaml", body);
    return errorsOf(env);
  };

  /** What is drawn by lot differs; when it changes does not. */
  const drawn = new Map<string, string[]>();
  const lot = (place: CorpusPlace, where: string, value: string): string => {
    const key = `${place.namespace} ${where}`;
    const before = drawn.get(key) ?? [];
    if (!before.includes(value)) before.push(value);
    drawn.set(key, before);
    return `lot ${before.indexOf(value)}`;
  };
  function told(object: LiveObject, place: CorpusPlace, where: string): unknown {
    const name = `${where} ${object.kind} ${object.metadata.name}`;
    // Slipway marks what `crds/` brings, which Helm never deletes either.
    if (object.metadata.name.startsWith("boats.")) delete object.metadata.annotations?.[policyAnnotation];
    const known = JSON.stringify(object, (key, value) =>
      typeof value === "string" && /^random|^caBundle$/.test(key) ? lot(place, `${name} ${key}`, value) : value,
    );
    // Where only our labels are.
    const unlabelled = (key: string, value: unknown) =>
      key === "metadata" && JSON.stringify(value) === "{}" ? undefined : value;
    return JSON.parse(JSON.stringify(comparable(JSON.parse(known), place)), unlabelled);
  }
  const inPlace = (text: string, { namespace, suffix }: CorpusPlace) =>
    text.replaceAll(namespace, "NAMESPACE").replaceAll(suffix, "SUFFIX");

  const isGiven = ({ kind, metadata: { name, ownerReferences, labels = {} } }: LiveObject): boolean =>
    ownerReferences !== undefined ||
    labels.owner === "helm" ||
    isPullSecret({ kind, name }) ||
    ["ConfigMap kube-root-ca.crt", "ServiceAccount default"].includes(`${kind} ${name}`);

  /** Everything in a namespace, and what belongs to none and bears its name. */
  async function objectsIn(place: CorpusPlace): Promise<LiveObject[]> {
    const boats = (await client.list(clusterKinds[0] as KindRef, {})).items.some(
      ({ metadata: { name, deletionTimestamp } }) =>
        name === `boats.${place.suffix}.${group}` && deletionTimestamp === undefined,
    );
    const own = kindsOf(`${place.suffix}.${group}/v1`, ...(boats ? ["Boat"] : []));
    const lists = await mapBounded([...namespacedKinds, ...own, ...clusterKinds], 8, async (kind) => {
      const shared = clusterKinds.includes(kind);
      const { items } = await client.list(kind, shared ? {} : { namespace: place.namespace });
      const whose = shared ? items.filter(({ metadata: { name } }) => name.includes(place.suffix)) : items;
      return whose.filter((one) => !isGiven(one)).map((one) => ({ ...kind, ...one }));
    });
    return lists.flat();
  }
  const keyed = (place: CorpusPlace, where: string, objects: readonly LiveObject[]) =>
    Object.fromEntries(
      objects.map((one) => [inPlace(`${one.kind} ${one.metadata.name}`, place), told(one, place, where)]),
    );
  const stateOf = async (place: CorpusPlace) => keyed(place, "live", await objectsIn(place));

  /** A revision as `helm get` and `helm history` show it. */
  function shownOf({ name, version, info, chart, config, manifest, hooks = [] }: ReleaseRecord, place: CorpusPlace) {
    const { name: of, version: ofVersion, appVersion } = chart.metadata;
    const objects = parseManifest(manifest, HELM_LIMITS) as LiveObject[];
    return {
      history: [name, version, info.status, of, ofVersion, appVersion],
      values: JSON.parse(JSON.stringify(mergeValues(chart.values ?? {}, config ?? {}), withoutNull)),
      notes: inPlace(info.notes ?? "", place),
      manifest: keyed(place, `manifest ${name}`, objects),
      hooks: hooks
        .map(({ kind, name: hook, events, weight = 0 }) => [kind, inPlace(hook, place), events, weight])
        .sort(),
    };
  }
  const releasesOf = async (place: CorpusPlace) =>
    (await releaseRecords(client, place.namespace)).map((record) => shownOf(record, place));

  const eachPair = (work: (pair: Pair) => Promise<unknown>) => mapBounded(pairs, 2, work);
  async function expectSame(): Promise<void> {
    for (const { ours, theirs } of pairs) {
      expect(differences(await stateOf(ours), await stateOf(theirs))).toEqual([]);
      expect(differences(await releasesOf(ours), await releasesOf(theirs))).toEqual([]);
    }
  }
  async function expectInSync(): Promise<void> {
    for (const { env } of pairs)
      expect(await call("GET", `/openapi/environments/${env}/drift`)).toMatchObject({ in_sync: true, objects: [] });
  }
  /** What any write of an applier would change. */
  async function marksOf({ ours }: Pair) {
    const marks = (await objectsIn(ours)).map(({ kind, metadata }) => [
      `${kind} ${metadata.name}`,
      metadata.generation ?? metadata.resourceVersion,
    ]);
    const revisions = (await releaseRecords(client, ours.namespace)).map(({ name, version }) => `${name} ${version}`);
    return { marks: Object.fromEntries(marks), revisions };
  }

  describe("charts of the corpus, by Slipway and by helm", () => {
    test("are installed alike", async () => {
      await eachPair((pair) =>
        Promise.all([deploy(pair, "install").then((errors) => expect(errors).toEqual({})), byHelm(pair, "install")]),
      );
      await expectSame();
      await expectInSync();
    }, 240_000);

    test("change nothing when they are deployed again", async () => {
      await eachPair(async (pair) => {
        const before = await marksOf(pair);
        expect(await deploy(pair, "install")).toEqual({});
        expect(await marksOf(pair)).toEqual(before);
      });
    }, 120_000);

    test("are upgraded alike", async () => {
      await eachPair((pair) =>
        Promise.all([deploy(pair, "upgrade").then((errors) => expect(errors).toEqual({})), byHelm(pair, "upgrade")]),
      );
      await expectSame();
      await expectInSync();
    }, 240_000);

    test("go back to their first version as by an upgrade with its values", async () => {
      await eachPair((pair) =>
        Promise.all([rollBack(pair), byHelm(pair, "install", "--description", "Rollback to 1")]),
      );
      await expectSame();
      await expectInSync();
    }, 240_000);

    const refusing = names.flatMap((name) => chartValuesOf(name, "refused")?.match(/^# (.*)/)?.[1] ?? []);
    test.each(refusing)("are refused alike: %s", async (words) => {
      const name = names.find((one) => chartValuesOf(one, "refused")?.includes(words)) ?? "";
      const pair = pairs.find(({ charts }) => charts.includes(name)) as Pair;
      await expect(byHelm({ ...pair, charts: [name] }, "refused")).rejects.toThrow(words);
      const services = [{ service_name: name, values_yaml: chartValuesOf(name, "refused") }];
      const path = `/openapi/environments/helm/${pair.env}/services?projectKey=${project}`;
      for (const query of ["", "&dryRun=true"]) {
        const { status, text } = await slipway.call("POST", path + query, { body: { services } });
        expect([status, text]).toEqual([400, expect.stringContaining(words)]);
      }
    });

    test("leave the same behind", async () => {
      await eachPair((pair) =>
        Promise.all([
          remove(pair).then((errors) => expect(errors).toEqual({})),
          command.run(pair.theirs.namespace, "uninstall", ...pair.charts),
        ]),
      );
      await expectSame();
    }, 240_000);
  });
}
