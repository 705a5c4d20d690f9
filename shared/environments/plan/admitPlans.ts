import { ApiError } from "../../base/errors/apiError.ts";
import { type Bounds, boundsProblem, whoMayAllow } from "../../kube/bounds.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import { pinImages } from "./pinImages.ts";
import type { RenderedPlan } from "./planServices.ts";

/**
 * Every plan passes here before it is kept or applied: its objects lie within what the project may deploy (decisions 17.3),
 * and its images are pinned where the project demands signatures.
 * @param named images that the user asked for by name
 * @throws ApiError 6045 naming every object that is refused; what `pinImages` throws
 */
export async function admitPlans(
  environment: EnvironmentName & { bounds: Bounds },
  plans: readonly RenderedPlan[],
  named?: ReadonlySet<string>,
): Promise<RenderedPlan[]> {
  const refused = plans.flatMap(({ plan, objects }) =>
    // What is taken over runs already.
    plan.release?.adopted !== undefined
      ? []
      : objects.flatMap((object) => {
          const problem = boundsProblem(object, environment.bounds);
          return problem === undefined ? [] : [`service ${plan.name}: ${problem}`];
        }),
  );
  if (refused.length > 0) throw new ApiError(6045, `${refused.join("; ")}; ${whoMayAllow(environment.projectKey)}`);
  const admitted = plans.map((plan) => ({ ...plan, bounds: environment.bounds }));
  return pinImages(environment, admitted, named);
}
