import type { EnvironmentDetail as Environment } from "./environments.ts";
import type { components, operations } from "./generated/api.ts";
import type { Slipway } from "./index.ts";

type Registry = components["schemas"]["Registry"];
type NewVersion = operations["createDeliveryVersion"]["requestBody"]["content"]["application/json"];
type NewChartVersion = operations["createChartVersion"]["requestBody"]["content"]["application/json"];

/** What a version of an environment is to be. */
interface WantedVersion {
  /** Becomes the tag of the copies. */
  name: string;
  /** Whether the environment is one of production. */
  production: boolean;
  labels: readonly string[];
  description: string;
  /** Where its images are copied to; without it they stay where they are. */
  registry?: Registry | undefined;
  /** Where charts are pushed to, of an environment that runs charts. */
  chartRepository: string;
}

/**
 * Makes a delivery version of what an environment runs: of its charts where it runs charts, otherwise of its services. Each
 * chart gets the version's name as its version, which is then one of semver.org.
 * @throws SlipwayError
 */
export async function createVersion(slipway: Slipway, environment: Environment, wanted: WantedVersion): Promise<void> {
  if (runsCharts(environment))
    await slipway.POST("/openapi/delivery/releases/helm", { body: chartVersion(environment, wanted) });
  else await slipway.POST("/openapi/delivery/releases/k8s", { body: serviceVersion(environment, wanted) });
}

/** Whether an environment runs charts, so that its versions need a chart repository. */
export function runsCharts({ services }: Environment): boolean {
  return services.some(({ type }) => type === "helm");
}

function serviceVersion(environment: Environment, wanted: WantedVersion): NewVersion {
  return {
    ...shared(environment, wanted),
    image_registry_id: wanted.registry?.registry_id ?? "",
    services: environment.services.map((service) => ({
      service_name: service.service_name,
      images: imagesOf(service, wanted),
    })),
  };
}

function chartVersion(environment: Environment, wanted: WantedVersion): NewChartVersion {
  const { name, registry, chartRepository } = wanted;
  return {
    ...shared(environment, wanted),
    image_registry_id: registry?.registry_id ?? environment.registry_id,
    chart_repo_name: chartRepository,
    services: environment.services
      .filter(({ type }) => type === "helm")
      .map((service) => ({
        ...{ service_name: service.service_name, chart_version: name },
        ...(registry !== undefined && { images: imagesOf(service, wanted) }),
      })),
  };
}

function shared({ project_key, env_key }: Environment, { name, production, labels, description }: WantedVersion) {
  return {
    ...{ project_key, version_name: name, source: "from_env" as const },
    ...{ env_name: env_key, production, labels: [...labels], desc: description },
  };
}

function imagesOf({ containers }: Environment["services"][number], { name, registry }: WantedVersion) {
  const prefix = registry === undefined ? undefined : imagePrefix(registry);
  return containers.map(({ name: container_name, image, image_name }) => {
    const target =
      prefix === undefined
        ? { target_image: image, target_image_tag: tagOf(image) }
        : { target_image: `${prefix}/${image_name}:${name}`, target_image_tag: name };
    return { container_name, ...target, push_image: prefix !== undefined };
  });
}

function tagOf(image: string): string {
  const [named = ""] = image.split("@");
  return /:([\w.-]+)$/.exec(named)?.[1] ?? "latest";
}

/** A registry as images name it: its host, and its namespace when it has one. */
function imagePrefix({ address, namespace }: Pick<Registry, "address" | "namespace">): string {
  const host = address.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
  return namespace === "" ? host : `${host}/${namespace}`;
}
