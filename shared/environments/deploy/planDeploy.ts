import { nowSeconds } from "../../base/store/ids.ts";
import type { Item } from "../../base/store/tableClient.ts";
import type { SentVariable } from "../../manifest/variables/environmentVariables.ts";
import { readValues } from "../../packaging/helm/rules/readValues.ts";
import { valueImages } from "../../packaging/helm/rules/valueImages.ts";
import { findServices, type ServiceChart, type ServiceRecord } from "../../projects/services/store/services.ts";
import { findImagePatterns } from "../../projects/store/projects.ts";
import { planTargetOf } from "../change/changeServices.ts";
import { requireUpdatable } from "../change/requireUpdatable.ts";
import { EnvironmentBusy, EnvironmentProblem } from "../failures.ts";
import { planServices, type RenderedPlan, type ServiceRequest } from "../plan/planServices.ts";
import { standingDefinitions } from "../plan/standingDefinitions.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
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
  /** Of a release that is no service of the project: brings the chart, which is fetched when the release is planned. */
  chart?: () => Promise<
    Required<Pick<ServiceChart, "digest" | "name" | "version" | "repository">> & { values: string }
  >;
  /** Where `config` is deployed: the newest revision rather than the one in the environment. */
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
  requireUpdatable(environment);
  if (leaving.includes(service))
    throw new EnvironmentBusy(`service ${service} is still being removed from environment ${request.envKey}`);
  const current = services.find(({ name }) => name === service);
  const wants = (content: string) => contents.includes(content);
  if (current === undefined && !wants("config") && !wants("vars"))
    throw new EnvironmentProblem(
      `service ${service} is not in environment ${request.envKey}, and an image alone cannot be deployed; deploy vars or config as well`,
    );
  const standing = current !== undefined && !(wants("config") && request.updatesConfig);
  const definitions =
    request.chart !== undefined
      ? await fromRepository({ ...request, chart: request.chart }, current)
      : standing
        ? await standingDefinitions(request, [current])
        : undefined;
  const [rendered] = await planServices(
    { ...(await planTargetOf(environment, {})), ...(definitions && { definitions }) },
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

/** A chart of a repository as a service has it. @throws EnvironmentProblem for a service of the project; ChartProblem */
async function fromRepository(
  { projectKey, envKey, production, service, chart }: DeployRequest & Required<Pick<DeployRequest, "chart">>,
  current: EnvironmentService | undefined,
): Promise<Map<string, ServiceRecord>> {
  const kind = production ? ("production" as const) : ("test" as const);
  const defined = (await findServices(projectKey, kind, [service])).get(service);
  if (defined !== undefined || (current !== undefined && current.release?.chart.repository === undefined))
    throw new EnvironmentProblem(
      `${service} is a service of project ${projectKey}; deploy it to environment ${envKey} by a zadig-deploy job, or choose another release_name`,
    );
  const { values, ...kept } = await chart();
  const containers = valueImages(readValues(values), await findImagePatterns(projectKey));
  const made = { createdBy: "", createdAt: nowSeconds(), source: "chartRepo", group: 0, revision: 1 };
  const record = { projectKey, kind, name: service, yaml: values, variables: [], containers, warnings: [], ...made };
  return new Map([[service, { ...record, chart: kept }]]);
}

function requireModules(service: string, { plan }: RenderedPlan, images: DeployRequest["images"]): void {
  const known = plan.containers.map(({ name }) => name);
  const unknown = images.find(({ name }) => !known.includes(name));
  if (unknown !== undefined)
    throw new EnvironmentProblem(
      `service ${service} has no module ${unknown.name}; its modules are: ${known.join(", ")}`,
    );
}
