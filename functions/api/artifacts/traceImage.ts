import type * as z from "zod";
import type { ProjectAction } from "../../../shared/access/identity/rules/actions.ts";
import { mayReadEnvironment } from "../../../shared/access/identity/rules/mayReadEnvironment.ts";
import { type Permission, refusal } from "../../../shared/access/identity/rules/permission.ts";
import { notFound } from "../../../shared/base/errors/apiError.ts";
import { imageUses } from "../../../shared/base/store/keys/artifactKeys.ts";
import { keys } from "../../../shared/base/store/keys/keys.ts";
import { table } from "../../../shared/base/store/table.ts";
import type { Item } from "../../../shared/base/store/tableClient.ts";
import type { EnvironmentRecord, EnvironmentService } from "../../../shared/environments/store/environments.ts";
import type { ImageUse } from "../../../shared/environments/store/imageUses.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { imageNames } from "../../../shared/manifest/imageParts.ts";
import type { Activity } from "../../../shared/packaging/artifacts/rules/artifact.ts";
import { findArtifacts } from "../../../shared/packaging/artifacts/store/artifacts.ts";
import type { StoredPlan } from "../../../shared/releaseplans/records/plans.ts";
import type { trace } from "./schemas.ts";
import { toCommit } from "./wire.ts";

type Trace = z.input<typeof trace>;

/** What rows under an image's name say: which artifact, which version, which service of which environment. */
interface Uses {
  artifactIds: string[];
  versions: VersionUse[];
  services: ImageUse[];
}

interface VersionUse {
  versionId: string;
  projectKey: string;
  name: string;
  /** Milliseconds: when that became known. */
  at?: number;
  /** In a row under a reference: which image the version brought there. */
  digest?: string;
  /** In a row under a digest: the reference that the version runs it under. */
  targetImage?: string;
}

/** How many builds of one image are read: an image that is rebuilt under the same tag may have more. */
const maxArtifacts = 20;
/** Names of an image that are followed. */
const maxNames = 5;

/**
 * The trace of an image, in five steps through the table (contract D 3.3): by its reference or digest, or by the digest
 * that a version brought to that reference, to what was built; from there by its other names to versions and
 * environments, and then these as they are now. A caller without `delivery_get` sees what belongs to projects where the
 * caller's own roles allow it.
 * @throws ApiError 404 when the image is unknown, or known only where the caller may not look
 */
export async function traceImage(image: string, caller: Caller): Promise<Trace> {
  const known = imageNames(image);
  const named = await usesOf(known);
  const isOwn = ({ projectKey }: VersionUse) => may(caller, projectKey, ["get_delivery"]);
  const promised = known.some(isDigest) ? "" : (named.versions.find(isOwn)?.digest ?? "");
  const first = promised === "" ? named : joined([named, await usesOf([promised])]);
  const artifacts = await findArtifacts(first.artifactIds.slice(0, maxArtifacts));
  const visible = artifacts.filter(({ projectKey }) => may(caller, projectKey, ["get_workflow"]));
  const built = visible.find(({ imageDigest }) => imageDigest !== "")?.imageDigest;
  const digest = known.find(isDigest) ?? built ?? promised;
  const asked = new Set([...known, promised]);
  const targets = first.versions.filter(isOwn).map(({ targetImage = "" }) => targetImage);
  const others = [...new Set([digest, ...visible.map((one) => one.image), ...targets])]
    .filter((name) => name !== "" && !asked.has(name))
    .slice(0, maxNames - known.length);
  const more = await usesOf(others);
  // A tag may have moved on to another image.
  const ofIt = more.versions.filter((one) => (one.digest ?? digest) === digest);
  const uses = joined([first, { ...more, versions: ofIt }]);
  const activities = visible
    .flatMap((one) => one.activities)
    .sort((a, b) => b.createdTime - a.createdTime)
    .filter(({ task }) => task === undefined || may(caller, task.projectKey, ["get_workflow"]));
  const isIt = (running: string) => {
    const names = imageNames(running);
    if (names.some((name) => known.includes(name) || name === digest)) return true;
    return names.length === 1 && others.includes(running);
  };
  const [environments, plans] = await Promise.all([
    runningNow(uses.services, isIt, caller),
    plansOf(activities, caller),
  ]);
  const versions = uses.versions.filter(isOwn);
  if (visible.length === 0 && versions.length === 0 && environments.length === 0) throw notFound(`image ${image}`);
  return {
    image,
    image_digest: digest,
    artifact_ids: visible.map(({ artifactId }) => artifactId),
    builds: ofType(activities, "build").map((one) => ({ ...toTask(one), commits: one.commits.map(toCommit) })),
    tests: ofType(activities, "test").map((one) => ({ ...toTask(one), content: one.content })),
    deploys: ofType(activities, "deploy").map((one) => ({ ...toTask(one), env_name: one.envName })),
    versions: versions.map(({ versionId, projectKey, name }) => ({
      id: versionId,
      version: name,
      project_key: projectKey,
    })),
    release_plans: plans,
    environments,
  };
}

function isDigest(name: string): boolean {
  return /^sha\d+:/.test(name);
}

async function usesOf(names: readonly string[]): Promise<Uses> {
  const found = await Promise.all(
    names.map((name) => table().query<object>({ pk: imageUses(name), limit: maxUses, consistent: false })),
  );
  const rows = found.flat();
  const starting = <T>(prefix: string) => rows.filter(({ sk }) => sk.startsWith(prefix)) as Item<T>[];
  return {
    artifactIds: starting<{ artifactId: string }>("artifact#")
      .sort((a, b) => (a.sk < b.sk ? 1 : -1))
      .map(({ artifactId }) => artifactId),
    versions: starting<VersionUse>("version#").sort((a, b) => (b.at ?? 0) - (a.at ?? 0)),
    services: starting<ImageUse>("environment#"),
  };
}

/** Rows that are read of one name: an image that a thousand services run is shown in part. */
const maxUses = 1000;

function joined(all: readonly Uses[]): Uses {
  const unique = <T>(items: readonly T[], key: (one: T) => string) => [
    ...new Map(items.map((one) => [key(one), one])).values(),
  ];
  return {
    artifactIds: unique(
      all.flatMap((one) => one.artifactIds),
      (id) => id,
    ),
    versions: unique(
      all.flatMap((one) => one.versions),
      ({ versionId }) => versionId,
    ),
    services: unique(
      all.flatMap((one) => one.services),
      (one) => `${one.environmentId}#${one.service}`,
    ),
  };
}

/** Services that have the image now: a row may outlive what it says. */
async function runningNow(
  uses: readonly ImageUse[],
  isIt: (image: string) => boolean,
  caller: Caller,
): Promise<Trace["environments"]> {
  const wanted = uses.flatMap(({ projectKey, envKey, service }) => [
    keys.environment(projectKey, envKey),
    keys.environmentService(projectKey, envKey, service),
  ]);
  const unique = [...new Map(wanted.map((key) => [`${key.pk} ${key.sk}`, key])).values()].slice(0, maxRead);
  const items = await table().getMany<EnvironmentRecord & EnvironmentService>(unique, { consistent: false });
  const found = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const at = ({ pk, sk }: { pk: string; sk: string }) => found.get(`${pk} ${sk}`);
  return uses.flatMap(({ projectKey, envKey, environmentId, service }) => {
    const environment = at(keys.environment(projectKey, envKey));
    const standing = at(keys.environmentService(projectKey, envKey, service));
    if (environment?.environmentId !== environmentId || standing === undefined || standing.removing === true) return [];
    if (!seesAll(caller) && !mayReadEnvironment(caller, projectKey, environment)) return [];
    const running = standing.containers.filter((one) => isIt(one.image));
    const [any] = running;
    if (any === undefined) return [];
    return {
      ...{ project_key: projectKey, env_key: envKey, production: environment.production, service_name: service },
      ...{ containers: running.map(({ name }) => name), image: any.image, update_time: standing.updatedAt },
    };
  });
}

/** Two round trips. */
const maxRead = 200;

/** Release plans whose tasks built or deployed it, as they stand now. */
async function plansOf(activities: readonly Activity[], caller: Caller): Promise<Trace["release_plans"]> {
  const isReader = { permission: { kind: "systemVerb", verb: "get_release_plan" }, mutates: false } as const;
  if (!seesAll(caller) && refusal(isReader, caller, {}) !== undefined) return [];
  const noted = new Map(
    activities.flatMap(({ releasePlan }) => (releasePlan ? [[releasePlan.planId, releasePlan]] : [])),
  );
  const ids = [...noted.keys()].slice(0, 100);
  const plans = await table().getMany<StoredPlan>(ids.map(keys.releasePlan), { consistent: false });
  return plans.map(({ planId, name, index, status }) => ({ id: planId, name, index, status }));
}

function ofType(activities: readonly Activity[], wanted: string): Activity[] {
  return activities.filter(({ type }) => type === wanted);
}

function toTask({ task, jobTaskName, url, createdBy, startTime, endTime }: Activity) {
  return {
    ...{ project_key: task?.projectKey ?? "", workflow_key: task?.workflowKey ?? "", task_id: task?.taskId ?? 0 },
    ...{ job_task_name: jobTaskName, url, created_by: createdBy, start_time: startTime, end_time: endTime },
  };
}

const all: Permission = { kind: "systemVerb", verb: "delivery_get" };

function seesAll(caller: Caller): boolean {
  return refusal({ permission: all, mutates: false }, caller, {}) === undefined;
}

function may(caller: Caller, projectKey: string, verbs: readonly ProjectAction[]): boolean {
  return (
    seesAll(caller) ||
    refusal({ permission: { kind: "verb", verbs }, mutates: false }, caller, { projectKey }) === undefined
  );
}
