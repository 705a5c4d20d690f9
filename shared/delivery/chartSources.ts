import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { requireEnvironment } from "../environments/requireEnvironment.ts";
import { findServices } from "../projects/services/store/services.ts";
import { imagesOfServices, nothing, originalOf, type Source, versionSource } from "./sources.ts";
import type { AskedVersion } from "./sourceValues.ts";

/**
 * What a version of charts is made of (contract D 1.7, 1.11): the newest revisions of the services, the releases of an
 * environment, or the charts of another version, which come from its repository.
 * @throws ApiError 400; 404 for an environment that is not there
 */
export function chartSource(asked: AskedVersion): Promise<Source> {
  if (asked.source === "from_env") return fromReleases(asked);
  if (asked.source === "manual") return fromServices(asked);
  return asked.originalName === "" ? fromRepository(asked) : fromVersion(asked);
}

async function fromServices({ projectKey, production, services }: AskedVersion): Promise<Source> {
  const kind = production ? "production" : "test";
  const names = services.map(({ name }) => name);
  const found = await findServices(projectKey, kind, names);
  return {
    ...nothing,
    imageOf: imagesOfServices(found.values(), ` projectKey: ${projectKey}`),
    yamlOf: async (service) => found.get(service)?.yaml ?? "",
    chartOf: (service, asked) => {
      const chart = found.get(service)?.chart;
      if (chart === undefined)
        return {
          field: "service_name",
          problem: `project ${projectKey} has no ${production ? "production" : "test"} service ${service} that is a chart`,
        };
      return { ...asked, originalVersion: chart.version, base: chart.digest };
    },
  };
}

async function fromReleases({ projectKey, envKey, production }: AskedVersion): Promise<Source> {
  const { services } = await requireEnvironment({ projectKey, envKey, production });
  const releaseOf = (service: string) => services.find(({ name }) => name === service)?.release;
  return {
    ...nothing,
    imageOf: imagesOfServices(services, ` envName: ${envKey}, projectKey: ${projectKey}`),
    yamlOf: async (service) => {
      const release = releaseOf(service);
      return release === undefined ? "" : readStoredText(release.values);
    },
    chartOf: (service, asked) => {
      const release = releaseOf(service);
      if (release === undefined)
        return { field: "service_name", problem: `environment ${envKey} has no release of service ${service}` };
      return { ...asked, originalVersion: release.chart.version, base: release.chart.digest };
    },
  };
}

async function fromVersion(asked: AskedVersion): Promise<Source> {
  const original = await originalOf(asked);
  if (original.version.versionType !== "HelmChart")
    throw new ApiError(
      400,
      `original_version_name: version ${asked.originalName} has manifests and no charts; name a version of charts`,
    );
  return versionSource(original);
}

/** The request holds everything; the charts are fetched. */
async function fromRepository({ chartRepoName }: AskedVersion): Promise<Source> {
  return {
    ...nothing,
    chartOf: (_, asked) =>
      asked.originalVersion === ""
        ? {
            field: "original_chart_version",
            problem: "is required without original_version_name: it says which chart is fetched",
          }
        : asked,
    chartRepoName,
  };
}
