import { ApiError } from "../../errors/apiError.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { beginServicesChange, planServicesChange } from "../changeServices.ts";
import type { Actor } from "../createEnvironment.ts";
import { failingWith } from "../failures.ts";
import type { RenderedPlan, ServiceRequest } from "../planServices.ts";
import { previewPlans } from "../preview/previewPlans.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { WholeEnvironment } from "../store/environments.ts";

/**
 * Installs charts that are not in an environment yet and upgrades those that are (contract P 6.2), in one change.
 * @throws ApiError 404 unknown environment; 6092 unknown service; 6076 wrong state, conflict, what Helm refuses
 */
export function deployReleases(
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  actor: Actor,
): Promise<void> {
  return planning(name, requests, async (whole, plans) => {
    if (plans.length > 0) await beginServicesChange("update", whole, plans, actor);
  });
}

/** What deploying them would change. @throws ApiError as `deployReleases` */
export async function previewReleases(
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
): Promise<ObjectPreview[]> {
  let previews: ObjectPreview[] = [];
  await planning(name, requests, async (whole, plans) => {
    previews = await previewReleasePlans(whole, plans);
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

function planning(
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  work: (whole: WholeEnvironment, plans: readonly RenderedPlan[]) => Promise<void>,
): Promise<void> {
  return failingWith(6076, async () => {
    const whole = await requireEnvironment(name);
    const present = new Set(whole.services.map((service) => service.name));
    const isNew = ({ name: service }: ServiceRequest) => !present.has(service);
    const [added, updated] = [requests.filter(isNew), requests.filter((request) => !isNew(request))];
    const plans = [
      ...(await planServicesChange("add", whole, added)),
      ...(await planServicesChange("update", whole, updated)),
    ];
    const other = plans.find(({ plan }) => plan.release === undefined);
    if (other !== undefined)
      throw new ApiError(400, `service ${other.plan.name} is no chart; use POST /openapi/environments/service/yaml`);
    await work(whole, plans);
  });
}
