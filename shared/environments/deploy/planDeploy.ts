import type { SentVariable } from "../../manifest/variables/environmentVariables.ts";
import type { Item } from "../../store/table.ts";
import { planTargetOf } from "../changeServices.ts";
import { EnvironmentProblem } from "../failures.ts";
import { planServices, type RenderedPlan, type ServiceRequest } from "../planServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { updateRefusal } from "../rules/status.ts";
import { standingDefinitions } from "../standingDefinitions.ts";
import type { EnvironmentRecord, EnvironmentService } from "../store/environments.ts";

/** What a job asks for; `contents` are `image`, `vars` and `config` (contract W 5). */
export interface DeployRequest extends EnvironmentName {
  service: string;
  contents: readonly string[];
  /** Images by container. */
  images: readonly { name: string; image: string }[];
  variables: readonly SentVariable[];
  /** Of a chart: `vars` as values. */
  values?: Pick<ServiceRequest, "valuesYaml" | "mergesValues" | "overrideKvs">;
  /** Where `config` is deployed: the newest revision rather than the one that stands. */
  updatesConfig: boolean;
}

export interface DeployPlan {
  environment: Item<EnvironmentRecord>;
  /** Undefined when the deployment brings the service into the environment. */
  current: Item<EnvironmentService> | undefined;
  rendered: RenderedPlan;
}

/**
 * What a deployment will apply: what is not deployed stays as it is in the environment (contract W 5).
 * @throws EnvironmentProblem while the environment sleeps or changes, for an image alone of a service that is not there,
 * and for a module that the service has not; ApiError 404 unknown environment
 */
export async function planDeploy(request: DeployRequest): Promise<DeployPlan> {
  const { service, contents, images } = request;
  const { environment, services, leaving } = await requireEnvironment(request);
  const refused = updateRefusal(environment);
  if (refused !== undefined) throw new EnvironmentProblem(refused);
  if (leaving.includes(service))
    throw new EnvironmentProblem(`service ${service} is still being removed from environment ${request.envKey}`);
  const current = services.find(({ name }) => name === service);
  const wants = (content: string) => contents.includes(content);
  if (current === undefined && !wants("config") && !wants("vars"))
    throw new EnvironmentProblem(
      `service ${service} is not in environment ${request.envKey}, and an image alone cannot be deployed; deploy vars or config as well`,
    );
  const standing = current !== undefined && !(wants("config") && request.updatesConfig);
  const definitions = standing ? await standingDefinitions(request, [current]) : undefined;
  const [rendered] = await planServices(
    { ...(await planTargetOf(environment)), ...(definitions && { definitions }) },
    [
      {
        name: service,
        variables: wants("vars") ? request.variables : [],
        containers: wants("image") ? images : [],
        ...(wants("vars") && request.values),
      },
    ],
    new Map(current === undefined ? [] : [[service, current]]),
  );
  if (rendered === undefined) throw new Error("a service that is asked for is planned");
  if (wants("image")) requireModules(service, rendered, images);
  return { environment, current, rendered };
}

function requireModules(service: string, { plan }: RenderedPlan, images: DeployRequest["images"]): void {
  const known = plan.containers.map(({ name }) => name);
  const unknown = images.find(({ name }) => !known.includes(name));
  if (unknown !== undefined)
    throw new EnvironmentProblem(
      `service ${service} has no module ${unknown.name}; its modules are: ${known.join(", ")}`,
    );
}
