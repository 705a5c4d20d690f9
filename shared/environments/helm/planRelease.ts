import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import { podImages } from "../../manifest/podImages.ts";
import { renderedReplicas, workloadKey } from "../../manifest/replicas.ts";
import type { EnvironmentGlobal } from "../../manifest/variables/environmentVariables.ts";
import { askHelm } from "../../packaging/helm/askHelm.ts";
import { liveReleases } from "../../packaging/helm/liveReleases.ts";
import { mergeTexts } from "../../packaging/helm/rules/mergeTexts.ts";
import { mergeValues, type Values } from "../../packaging/helm/rules/mergeValues.ts";
import { readValues } from "../../packaging/helm/rules/readValues.ts";
import { valueImages, withImageAt } from "../../packaging/helm/rules/valueImages.ts";
import { parseValuePath, withValueAt } from "../../packaging/helm/rules/valuePath.ts";
import { findVerification } from "../../packaging/images/verification/store/verifications.ts";
import type { ServiceChart, ServiceRecord } from "../../projects/services/store/services.ts";
import { findImagePatterns } from "../../projects/store/projects.ts";
import { EnvironmentProblem } from "../failures.ts";
import { imagesInForce } from "../plan/imagesInForce.ts";
import type { PlanTarget, RenderedPlan, ServiceRequest } from "../plan/planServices.ts";
import type { EnvironmentService } from "../store/environments.ts";
import type { FoundRelease, ReleaseToAdopt } from "./adoptRelease.ts";
import { heldNotes, heldReplicas, stillHeld } from "./heldReplicas.ts";
import { findLastGood, type ReleaseInput, standsAs } from "./lastGoodRelease.ts";
import type { ReleasePlace } from "./releaseProxy.ts";
import type { RenderedRelease } from "./renderRelease.ts";

/**
 * What the release of a service will be: the newest revision's chart, its values with those of the environment over them
 * (decisions 11.9), its images by contract P 13.6, and what Helm makes of it.
 * @throws EnvironmentProblem for values and images that do not fit; ChartProblem for what Helm refuses
 */
export async function planRelease(
  target: PlanTarget,
  request: ServiceRequest,
  record: ServiceRecord & { chart: ServiceChart },
  current: EnvironmentService | undefined,
): Promise<RenderedPlan> {
  const place = target.place;
  if (place === undefined) throw new EnvironmentProblem("a chart is deployed into an environment that stands");
  if (request.strategy === "import") return planAdoption({ ...place, ...placed(target) }, record);
  const valuesYaml = await environmentValues(request, current);
  const globals = globalsOf(target, request);
  const defaults = target.defaultValues === undefined ? "" : await readStoredText(target.defaultValues);
  const base = mergeValues(mergeValues(readValues(record.yaml), readValues(defaults)), globalValues(globals));
  const merged = mergeValues(base, readValues(valuesYaml));
  // An image that the service has by itself may be another one by the environment's values.
  const patterns = await findImagePatterns(target.projectKey);
  const named = { ...record, containers: valueImages(merged, patterns) };
  const changedImages = imagesInForce(named, current, request.containers ?? []);
  const values = withImages(merged, named, changedImages);
  const { digest, name, version, repository } = record.chart;
  const stored = await storeText(dumpYaml(values, { sortKeys: true }));
  const held = await heldReplicas({ ...place, ...placed(target) }, current);
  const chart = { digest, name, version, ...(repository && { repository }) };
  const release = { chart, values: stored, valuesYaml: await storeText(valuesYaml) };
  const releasePlace = { ...place, ...placed(target), service: record.name, bounds: target.bounds };
  const asked = { place: releasePlace, chart: { digest }, values: stored, replicas: held };
  const rendered =
    (await standing(releasePlace, { release, replicas: held })) ??
    ((await askHelm("render", asked)) as RenderedRelease);
  const text = await readStoredText(rendered.text);
  const objects = parseManifest(text);
  const workloads = objects.map(({ kind, metadata: { name: workload } }) => workloadKey({ kind, name: workload }));
  const counts = rendered.renderedReplicas;
  const replicas = stillHeld(held, new Set(workloads), counts);
  return {
    text,
    objects,
    warnings: [],
    notes: heldNotes(replicas, counts),
    chartImages: Object.fromEntries(rendered.images.map((image) => [image, image])),
    standingPins: current?.release?.pins,
    plan: {
      name: record.name,
      group: record.group,
      revision: record.revision,
      variables: globals.map(({ relatedServices: _services, ...global }) => ({ ...global, useGlobalVariable: true })),
      containers: valueImages(values, patterns),
      changedImages,
      replicas,
      release: {
        ...{ ...release, renderedReplicas: counts },
        ...(request.strategy === "draft" && { draft: true as const }),
      },
    },
  };
}

/** What the release holds already, where Helm would render it from the same: then it is not asked (decisions 11.7). */
async function standing(place: ReleasePlace, input: ReleaseInput): Promise<RenderedRelease | undefined> {
  const lastGood = await findLastGood(place);
  if (lastGood === undefined || lastGood.release.chart.digest !== input.release.chart.digest) return undefined;
  const { client } = await openCluster(place.clusterId);
  const [newest] = await liveReleases(client, { namespace: place.namespace, release: place.service });
  const isOurs = newest?.environmentId === place.environmentId;
  if (!isOurs || !standsAs(input, lastGood, newest)) return undefined;
  const { pins, renderedReplicas } = lastGood.release;
  // A record of an earlier version does not say it.
  if (renderedReplicas === undefined) return undefined;
  // Which images it names is not known where they were not pinned.
  const demandsPins = pins === undefined && place.production && (await findVerification(place.projectKey)).enabled;
  return demandsPins ? undefined : { text: lastGood.text, images: Object.keys(pins ?? {}), renderedReplicas };
}

/** The existing release, as it is: its values stay those of the environment. */
async function planAdoption(
  place: Omit<ReleasePlace, "service">,
  { name, group, revision, chart: { digest, name: chartName, version } }: ServiceRecord & { chart: ServiceChart },
): Promise<RenderedPlan> {
  const asked: ReleaseToAdopt = {
    place: { ...place, service: name },
    chart: { digest, name: chartName, version },
    patterns: await findImagePatterns(place.projectKey),
  };
  const found = (await askHelm("standing", asked)) as FoundRelease;
  const { chart, values, containers, revision: adopted } = found;
  const text = await readStoredText(found.text);
  const objects = parseManifest(text);
  const release = { chart, values, valuesYaml: values, adopted, renderedReplicas: renderedReplicas(objects) };
  const plan = { name, group, revision, variables: [], containers, changedImages: {}, replicas: {}, release };
  const chartImages = Object.fromEntries(podImages(objects).map((image) => [image, image]));
  return { text, objects, warnings: [], plan, chartImages };
}

const placed = ({ projectKey, envKey, namespace, production }: PlanTarget) => ({
  ...{ projectKey, envKey, namespace, production },
});

/**
 * The environment's global variables that name the service, or that the request takes; a flag in the request that is false
 * gives one up.
 */
function globalsOf({ globals, envKey }: PlanTarget, { name, variables }: ServiceRequest): EnvironmentGlobal[] {
  const flags = new Map(variables.map(({ key, useGlobalVariable }) => [key, useGlobalVariable]));
  const missing = [...flags].filter(([key, takes]) => takes === true && globals.every((global) => global.key !== key));
  if (missing.length > 0) {
    const keys = missing.map(([key]) => key).join(", ");
    throw new EnvironmentProblem(`environment ${envKey} has no global variable ${keys}; set it there first`);
  }
  return globals.filter(({ key, relatedServices }) => flags.get(key) ?? relatedServices.includes(name));
}

/** Where charts look for what several of them share (decisions 11.9). */
function globalValues(globals: readonly EnvironmentGlobal[]): Values {
  if (globals.length === 0) return {};
  return { global: Object.fromEntries(globals.map(({ key, value }) => [key, value])) };
}

/** The text of the environment: what was sent now, over or instead of what was sent before, with single keys over it. */
async function environmentValues(
  { valuesYaml, mergesValues = false, overrideKvs = [] }: ServiceRequest,
  current: EnvironmentService | undefined,
): Promise<string> {
  const before = current?.release === undefined ? "" : await readStoredText(current.release.valuesYaml);
  const text = mergesValues ? mergeTexts(before, valuesYaml ?? "") : (valuesYaml ?? before);
  if (overrideKvs.length === 0) return text;
  const values = overrideKvs.reduce<Values>((under, { key, value }) => {
    const path = parseValuePath(key);
    if (path === undefined)
      throw new EnvironmentProblem(`override_kvs: ${key} names no place in values; write image.tag or hosts[0].name`);
    return withValueAt(under, path, value);
  }, readValues(text));
  return dumpYaml(values);
}

function withImages(values: Values, record: ServiceRecord, images: Readonly<Record<string, string>>): Values {
  return Object.entries(images).reduce((under, [container, image]) => {
    const imagePath = record.containers.find(({ name }) => name === container)?.imagePath;
    if (!imagePath) throw new EnvironmentProblem(`the values hold no image of container ${container}`);
    const placed = withImageAt(under, imagePath, image);
    if (placed === undefined)
      throw new EnvironmentProblem(`the values hold a tag for ${container} and no digest; name ${image} by its tag`);
    return placed;
  }, values);
}
