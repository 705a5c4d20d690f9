import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { forces } from "../apply/forces.ts";
import { planServicesChange } from "../change/changeServices.ts";
import { requireUpdatable } from "../change/requireUpdatable.ts";
import { failingWith } from "../failures.ts";
import type { Asking } from "../plan/boundsOf.ts";
import type { ServiceRequest } from "../plan/planServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { previewPlans } from "./previewPlans.ts";
import { previewRemoval } from "./previewRemoval.ts";

/** What adding or updating services would do. @throws ApiError as the change itself */
export async function previewServices(
  kind: "add" | "update",
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  by: Asking,
  {
    deleteCrds,
    ...options
  }: { adopt?: boolean | undefined; reset?: boolean | undefined; deleteCrds?: boolean | undefined },
): Promise<ObjectPreview[]> {
  const whole = await requireEnvironment(name);
  if (requests.length === 0) return [];
  return failingWith(6076, async () => {
    const plans = await planServicesChange(kind, whole, requests, by);
    const { adoptManagers = [] } = whole.environment;
    return previewPlans(whole.environment, plans, { ...forces({ kind, adoptManagers, ...options }), deleteCrds });
  });
}

/** What taking services out would delete: nothing when their objects stay. @throws ApiError as the change itself */
export async function previewServiceRemoval(
  name: EnvironmentName,
  services: readonly string[],
  { keepObjects, deleteCrds }: { keepObjects: boolean; deleteCrds?: boolean | undefined },
): Promise<ObjectPreview[]> {
  const { environment, services: present } = await requireEnvironment(name);
  const leaving = present.filter((service) => services.includes(service.name)).map((service) => service.name);
  if (leaving.length === 0) return [];
  return failingWith(6076, async () => {
    requireUpdatable(environment);
    return keepObjects ? [] : previewRemoval(environment, leaving, { deleteCrds });
  });
}
