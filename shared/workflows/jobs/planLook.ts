import { type DeployRequest, planDeploy } from "../../environments/deploy/planDeploy.ts";
import type { RenderedPlan } from "../../environments/plan/planServices.ts";
import { previewPlans } from "../../environments/preview/previewPlans.ts";
import { adoptableManagers } from "../../kube/apply/adoptFields.ts";
import type { ServiceLook } from "./preview.ts";

/**
 * What a deployment would change, planned as the job itself plans it.
 * @param isUnknown modules whose image only a run can know
 * @throws as `planDeploy` and `previewPlans`
 */
export async function planLook(
  request: DeployRequest,
  isUnknown: (module: string) => boolean = () => false,
): Promise<ServiceLook & { planned: RenderedPlan["plan"] }> {
  const { environment, current, rendered } = await planDeploy(request);
  const { plan } = rendered;
  // Helm takes whatever others hold (decisions 11.5).
  const takes = plan.release === undefined ? adoptableManagers(environment.adoptManagers) : () => false;
  const objects = await previewPlans(environment, [rendered], { force: true, takes });
  const modules = plan.containers.map(({ name, image }) => ({
    name,
    now: current?.containers.find((one) => one.name === name)?.image ?? "",
    next: isUnknown(name) ? "" : image,
  }));
  return { modules, objects, planned: plan };
}
