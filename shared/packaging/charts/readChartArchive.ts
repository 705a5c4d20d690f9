import { openCodeHost } from "../../integrations/codeHosts/openCodeHost.ts";
import { readRepository } from "../../integrations/codeHosts/readRepository.ts";
import { FileUnreadable } from "../../integrations/codeHosts/repositoryApi.ts";
import { type ChartRepository, chartRepositories } from "../../integrations/store/chartRepositories.ts";
import type { ListedIntegration } from "../../integrations/store/integrationStore.ts";
import { ChartProblem } from "../helm/chartProblem.ts";
import { type Chart, packedFolder, readArchive } from "../helm/readArchive.ts";
import type { ChartDependency } from "../helm/rules/chartHead.ts";
import { openChartRepository } from "./openChartRepository.ts";

/** A chart as a registered repository has it. */
export interface ChartPlace {
  chartRepoName: string;
  chartName: string;
  /** A version, a range, or nothing for the newest that is no preview. */
  chartVersion: string;
}

/** A chart as it lies in a repository of a code host. */
export interface ChartFolder {
  codehostName: string;
  namespace: string;
  repo: string;
  branch: string;
  /** From the root of the repository; empty for the root itself. */
  path: string;
}

/** @throws ChartProblem that says why it cannot be read, or what is wrong with it */
export async function readChartFolder({ codehostName, namespace, repo, branch, path }: ChartFolder): Promise<Chart> {
  const opened = await openCodeHost(codehostName);
  if (opened === undefined) throw new ChartProblem(`code host ${codehostName} does not exist`);
  try {
    const repository = { namespace, name: repo, branch };
    return await wholeChart(
      await packedFolder(await readRepository(opened.host, opened.token, repository, path), path),
    );
  } catch (error) {
    if (error instanceof FileUnreadable) throw new ChartProblem(error.message);
    throw error;
  }
}

/** @throws ChartProblem that says why it cannot be fetched, or what is wrong with it */
export async function readChartArchive({ chartRepoName, chartName, chartVersion }: ChartPlace): Promise<Chart> {
  const found = await chartRepositories.findByName(chartRepoName);
  if (found === undefined) throw new ChartProblem(`chart repository ${chartRepoName} does not exist`);
  return wholeChart(await fetchFrom(found, chartName, chartVersion));
}

/**
 * Reads a packed chart, with what it needs from registered repositories where it does not bring it.
 * @throws ChartProblem as `readArchive`; naming a chart that is not brought and that no registered repository has
 */
export function wholeChart(packed: Buffer): Promise<Chart> {
  let known: Promise<ListedIntegration<ChartRepository>[]> | undefined;
  return readArchive(packed, async (missing) => {
    known ??= chartRepositories.list();
    return bring(missing, await known);
  });
}

function bring(missing: ChartDependency, known: ListedIntegration<ChartRepository>[]): Promise<Buffer> {
  const { name, version, repository } = missing;
  const instead = "or run helm dependency build before packing it";
  if (!/^(https?|oci):\/\/|^(@|alias:)/i.test(repository))
    throw new ChartProblem(
      `the chart needs ${name}, which is not in its charts/ folder; name its repository in Chart.yaml, ${instead}`,
    );
  const found = known.find(({ shown }) => isAt(shown, repository));
  if (found === undefined)
    throw new ChartProblem(
      `the chart needs ${name} from ${repository}, which is no registered chart repository; register it, ${instead}`,
    );
  return fetchFrom(found, name, version);
}

/** Chart.yaml names a repository by its address, or by `@` and its name. */
function isAt({ repoName, url, type }: ChartRepository, repository: string): boolean {
  const name = /^(?:@|alias:)(.*)$/.exec(repository)?.[1];
  if (name !== undefined) return name === repoName;
  const plain = (text: string) => {
    const address = text.replace(/\/+$/, "");
    return type === "http" ? address : address.replace(/^(oci|https?):/i, "");
  };
  return plain(url) === plain(repository);
}

async function fetchFrom({ id, shown }: ListedIntegration<ChartRepository>, name: string, version: string) {
  return (await openChartRepository(id, shown)).fetch(name, version);
}
