import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { allProjects, findClusterByName } from "../../../shared/kube/clusters/store/clusters.ts";
import { extractVariables } from "../../../shared/manifest/template/extractVariables.ts";
import { TemplateError } from "../../../shared/manifest/template/templateError.ts";
import type { ServiceVariable } from "../../../shared/manifest/variables/serviceVariable.ts";
import { findDefaultRegistry } from "../../../shared/packaging/registries/store/registries.ts";
import {
  contentFromTemplate,
  type MadeContent,
  unknownTemplate,
} from "../../../shared/projects/services/contentFromTemplate.ts";
import { contentFromChart } from "../../../shared/projects/services/createChartService.ts";
import { prepareService } from "../../../shared/projects/services/prepareService.ts";
import { findTemplateByName, type VersionedTemplate } from "../../../shared/projects/services/store/yamlTemplates.ts";
import type { Initialization, InitialService } from "./initProject.ts";

/** What can be known before anything is written. */
interface Preparation {
  /** By service name. */
  contents: ReadonlyMap<string, MadeContent>;
  /** Cluster ids by cluster name. */
  clusterIds: ReadonlyMap<string, string>;
}

/**
 * Checks everything that an initialization can fail at without its project: templates, YAML and values, strictly where
 * there are environments to render for, clusters and the registry.
 * @throws ApiError 6045 naming every service that does not fit, 6074 for what the environments lack
 */
export async function prepareInitialization(wanted: Initialization): Promise<Preparation> {
  const contents = await prepareServices(wanted, await templatesOf(wanted));
  const names = [...new Set(wanted.environments.map((environment) => environment.clusterName))];
  const [clusters, registry] = await Promise.all([
    Promise.all(names.map(findClusterByName)),
    names.length === 0 ? undefined : findDefaultRegistry(),
  ]);
  const clusterIds = new Map<string, string>();
  for (const { envKey, clusterName } of wanted.environments) {
    const cluster = clusters[names.indexOf(clusterName)];
    if (cluster === undefined)
      throw new ApiError(6074, `failed to find a cluster with name: ${clusterName} to create env: ${envKey}`);
    if (![allProjects, wanted.project.projectKey].some((open) => cluster.projectNames.includes(open)))
      throw new ApiError(6074, `cluster ${clusterName} is not open to project ${wanted.project.projectKey}`);
    clusterIds.set(clusterName, cluster.clusterId);
  }
  if (names.length > 0 && registry === undefined)
    throw new ApiError(6074, "there is no default image registry for the environments; create one first");
  return { contents, clusterIds };
}

type Templates = ReadonlyMap<string, VersionedTemplate | undefined>;

/** The templates that services name, each once. */
async function templatesOf({ services }: Initialization): Promise<Templates> {
  const names = new Set(services.flatMap((service) => ("template" in service ? [service.template.name] : [])));
  return new Map(await Promise.all([...names].map(async (name) => [name, await findTemplateByName(name)] as const)));
}

async function prepareServices({ project, services, environments }: Initialization, templates: Templates) {
  const { projectKey } = project;
  const problems: string[] = [];
  const prepare = async (service: InitialService): Promise<MadeContent> => {
    if ("template" in service) return fromTemplate(service, projectKey, templates.get(service.template.name));
    if ("yaml" in service) return fromYaml(service, environments.length > 0);
    return contentFromChart({ ...service, projectKey, templateName: service.chartTemplate });
  };
  const contents = await mapBounded(services, chartsAtOnce, async (service) => {
    try {
      return [service.name, await prepare(service)] as const;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems.push(`service ${service.name}: ${error.description}`);
      return undefined;
    }
  });
  if (problems.length > 0) throw new ApiError(6045, problems.join("; "));
  return new Map(contents.filter((one) => one !== undefined));
}

/** For each of them Helm runs once. */
const chartsAtOnce = 4;

function fromTemplate(
  { name, values, template: wanted }: Extract<InitialService, { template: object }>,
  projectKey: string,
  template: VersionedTemplate | undefined,
): MadeContent {
  if (template === undefined) throw new ApiError(6045, unknownTemplate(wanted.name));
  return contentFromTemplate(template, { projectKey, name }, { ...wanted, values });
}

function fromYaml({ yaml, values }: Extract<InitialService, { yaml: string }>, strict: boolean): MadeContent {
  return { ...prepareService({ yaml, variables: withValues(yaml, values), strict }), source: "spock" };
}

/** The variables that the YAML asks for, with the values that were sent; other values are ignored (contract P 1.2). */
function withValues(yaml: string, values: readonly { key: string; value: unknown }[]): ServiceVariable[] {
  const sent = new Map(values.map(({ key, value }) => [key, value]));
  try {
    return extractVariables(yaml).map((variable) => {
      return sent.has(variable.key) ? { ...variable, value: sent.get(variable.key) } : variable;
    });
  } catch (error) {
    // The preparation of the service meets the same problem and tells it.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}
