import { storeText } from "../../base/aws/objects/objectStore.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { conflictedOn } from "../../base/store/tableClient.ts";
import type { Write } from "../../base/store/writes.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { mergeTexts } from "../../packaging/helm/rules/mergeTexts.ts";
import { projectMustStand } from "../../projects/store/projects.ts";
import { planServicesChange, startServicesChange } from "../change/changeServices.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { readValuesFile } from "../follow/readSourceFile.ts";
import type { Asking } from "../plan/boundsOf.ts";
import { type RenderedPlan, type ServiceRequest, storePlanTexts } from "../plan/planServices.ts";
import { nothingApplied, serviceOf } from "../plan/recordPlannedServices.ts";
import { previewPlans } from "../preview/previewPlans.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { changeEnvironment, placeManifest, placeService, type WholeEnvironment } from "../store/environments.ts";

/**
 * Installs charts that are not in an environment yet and upgrades those that are (contract P 6.2), in one change.
 * @throws ApiError 404 unknown environment; 6092 unknown service; 6076 wrong state, conflict, what Helm refuses
 */
export function deployReleases(
  name: EnvironmentName,
  requests: readonly ReleaseRequest[],
  actor: Actor,
): Promise<void> {
  return planning(name, requests, actor, async (whole, plans) => {
    const drafts = plans.filter(isDraft);
    const deployed = plans.filter((plan) => !isDraft(plan));
    const writes = await placeDrafts(whole.environment, drafts);
    if (deployed.length > 0) return startServicesChange("update", whole, deployed, actor, {}, () => writes);
    if (drafts.length > 0) await keep(whole, writes, actor);
  });
}

/** What deploying them would change. @throws ApiError as `deployReleases` */
export async function previewReleases(
  name: EnvironmentName,
  requests: readonly ReleaseRequest[],
  by: Asking,
): Promise<ObjectPreview[]> {
  let previews: ObjectPreview[] = [];
  await planning(name, requests, by, async (whole, plans) => {
    const stay = (plan: RenderedPlan) => plan.plan.release?.adopted !== undefined;
    const changing = plans.filter((plan) => !isDraft(plan) && !stay(plan));
    previews = [
      ...(changing.length === 0 ? [] : await previewReleasePlans(whole, changing)),
      ...plans.filter(stay).flatMap(previewAdoption),
    ];
  });
  return previews;
}

/** What planned releases would change. @throws EnvironmentProblem, ApiError 6045, ClusterError */
export function previewReleasePlans(
  { environment }: WholeEnvironment,
  plans: readonly RenderedPlan[],
): Promise<ObjectPreview[]> {
  // Helm takes whatever others hold (decisions 11.5).
  return previewPlans(environment, plans, { force: true, takes: () => false });
}

function isDraft({ plan }: RenderedPlan): boolean {
  return plan.release?.draft === true;
}

/** Labels aside, nothing of a release that is taken over changes. */
function previewAdoption({ plan: { name: serviceName }, objects }: RenderedPlan): ObjectPreview[] {
  return objects.map(({ kind, metadata: { name } }) => {
    const note = "is taken over as it stands and labelled";
    return { serviceName, kind, name, action: "unchanged", diff: "", note };
  });
}

/** With a manifest of which nothing is applied, as everything has that a job may deploy next. */
async function placeDrafts(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  drafts: readonly RenderedPlan[],
): Promise<Write[]> {
  const applied = await storeText(JSON.stringify(nothingApplied));
  return (await storePlanTexts(drafts)).flatMap((plan) => [
    placeService(projectKey, envKey, serviceOf(plan, { workloads: [], error: "" })),
    placeManifest(projectKey, envKey, plan.name, { text: plan.text, applied, isRelease: true }),
  ]);
}

/** Drafts alone bring nothing into the cluster, so there is no change to wait for. */
async function keep({ environment }: WholeEnvironment, writes: readonly Write[], actor: Actor): Promise<void> {
  try {
    await table().write(
      changeEnvironment(environment, { updatedBy: actor.name }, mustHaveVersion(environment.version)),
      projectMustStand(environment.projectKey),
      ...writes,
    );
  } catch (error) {
    if (!conflictedOn(error, "environment")) throw error;
    throw new EnvironmentProblem("another change of the environment came first; send the drafts again");
  }
}

/** @throws EnvironmentProblem for a service that is deployed already: there is nothing to import, and nothing to draft */
function refuseDeployed({ environment, services }: WholeEnvironment, requests: readonly ServiceRequest[]): void {
  const problems = requests.flatMap(({ name, strategy }) => {
    const release = services.find((service) => service.name === name)?.release;
    if (strategy === undefined || release === undefined || release.draft === true) return [];
    return [
      `service ${name} stands in environment ${environment.envKey} already; deploy_strategy ${strategy} is for one that does not, use deploy`,
    ];
  });
  if (problems.length > 0) throw new EnvironmentProblem(problems.join("; "));
}

/** As `ServiceRequest`, with values that lie in a repository below the ones that were sent. */
export interface ReleaseRequest extends ServiceRequest {
  valuesFile?: unknown;
}

async function withFiles(requests: readonly ReleaseRequest[]): Promise<ServiceRequest[]> {
  return mapBounded(requests, filesAtOnce, async ({ valuesFile, ...request }) => {
    if (valuesFile === undefined) return request;
    const field = `service ${request.name}: import_values_from_git`;
    return { ...request, valuesYaml: mergeTexts(await readValuesFile(field, valuesFile), request.valuesYaml ?? "") };
  });
}

const filesAtOnce = 4;

function planning(
  name: EnvironmentName,
  sent: readonly ReleaseRequest[],
  by: Asking,
  work: (whole: WholeEnvironment, plans: readonly RenderedPlan[]) => Promise<void>,
): Promise<void> {
  return failingWith(6076, async () => {
    const whole = await requireEnvironment(name);
    refuseDeployed(whole, sent);
    const requests = await withFiles(sent);
    const present = new Set(whole.services.map((service) => service.name));
    const isNew = ({ name: service }: ServiceRequest) => !present.has(service);
    const [added, updated] = [requests.filter(isNew), requests.filter((request) => !isNew(request))];
    const plans = [
      ...(await planServicesChange("add", whole, added, by)),
      ...(await planServicesChange("update", whole, updated, by)),
    ];
    const other = plans.find(({ plan }) => plan.release === undefined);
    if (other !== undefined)
      throw new ApiError(400, `service ${other.plan.name} is no chart; use POST /openapi/environments/service/yaml`);
    await work(whole, plans);
  });
}
