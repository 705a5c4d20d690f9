import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { readValues } from "../../packaging/helm/rules/readValues.ts";
import { requireProject } from "../../projects/store/projects.ts";
import { startServicesChange } from "../change/changeServices.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { requireUpdatable } from "../change/requireUpdatable.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import type { Asking } from "../plan/boundsOf.ts";
import type { PlanWarning, RenderedPlan } from "../plan/planServices.ts";
import { replanServices, storeSetting } from "../plan/replanServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { EnvironmentRecord, EnvironmentService, WholeEnvironment } from "../store/environments.ts";
import { previewReleasePlans } from "./deployReleases.ts";
import { isSameText } from "./lastGoodRelease.ts";

/** Values that every chart of an environment gets, below all others of the environment (decisions 11.9); YAML. */
export async function readDefaultValues({ defaultValues }: EnvironmentRecord): Promise<string> {
  return defaultValues === undefined ? "" : readStoredText(defaultValues);
}

/**
 * Replaces them. Releases whose values are others by them are upgraded in the background, at the revision and with the
 * images that they have.
 * @throws ApiError 404 unknown environment; 6076 wrong state, values that are no map, an environment without charts
 */
export async function setDefaultValues(name: EnvironmentName, text: string, actor: Actor): Promise<PlanWarning[]> {
  const warnings = await deciding(name, text, actor, async ({ changed, plans, warnings }) => {
    if (plans.length === 0) await storeSetting(changed, "defaultValues", actor);
    else await startServicesChange("update", changed, plans, actor);
    return warnings;
  });
  return warnings ?? [];
}

/** What replacing them would change. @throws ApiError as `setDefaultValues` */
export async function previewDefaultValues(name: EnvironmentName, text: string, by: Asking): Promise<ObjectPreview[]> {
  return (await deciding(name, text, by, ({ changed, plans }) => previewReleasePlans(changed, plans))) ?? [];
}

interface Decision {
  /** The environment with the values that it will have. */
  changed: WholeEnvironment;
  /** The releases that become others by them. */
  plans: RenderedPlan[];
  warnings: PlanWarning[];
}

/** Calls `work` unless the text is what it is already. */
function deciding<T>(
  name: EnvironmentName,
  text: string,
  by: Asking,
  work: (decision: Decision) => Promise<T>,
): Promise<T | undefined> {
  return failingWith(6076, async () => {
    const [whole, project] = await Promise.all([requireEnvironment(name), requireProject(name.projectKey)]);
    if (project.projectType !== "helm")
      throw new EnvironmentProblem(
        `project ${name.projectKey} has no charts; default values are for projects of type helm`,
      );
    requireUpdatable(whole.environment);
    readValues(text);
    const defaultValues = await storeText(text);
    const stored = whole.environment.defaultValues ?? { inline: "" };
    if (isSameText(defaultValues, stored)) return undefined;
    const changed = { ...whole, environment: { ...whole.environment, defaultValues } };
    const { plans, warnings } = await replanServices(changed, whole.services.filter(takesDefaults), by);
    return work({ changed, plans: plans.filter((plan) => isOther(plan, whole.services)), warnings });
  });
}

/** A draft gets them when it is deployed; what a job or another Helm made has values of its own. */
const takesDefaults = ({ release }: EnvironmentService): boolean =>
  release !== undefined &&
  release.draft !== true &&
  release.adopted === undefined &&
  release.chart.repository === undefined;

function isOther({ plan }: RenderedPlan, services: readonly EnvironmentService[]): boolean {
  const standing = services.find(({ name }) => name === plan.name)?.release;
  return plan.release !== undefined && (standing === undefined || !isSameText(plan.release.values, standing.values));
}
