import type * as z from "zod";
import { badRequest, type Problem } from "../../../shared/base/errors/apiError.ts";
import type { ServiceKind } from "../../../shared/base/store/keys/keys.ts";
import { recordDefinition } from "../../../shared/environments/apply/recordDefinition.ts";
import { openCodeHost } from "../../../shared/integrations/codeHosts/openCodeHost.ts";
import { readRepository } from "../../../shared/integrations/codeHosts/readRepository.ts";
import { FileUnreadable } from "../../../shared/integrations/codeHosts/repositoryApi.ts";
import type { ManifestWarning } from "../../../shared/manifest/manifestWarning.ts";
import { ChartProblem } from "../../../shared/packaging/helm/chartProblem.ts";
import { filesBelow } from "../../../shared/packaging/helm/readArchive.ts";
import { createService } from "../../../shared/projects/services/createService.ts";
import { prepareService } from "../../../shared/projects/services/prepareService.ts";
import { serviceNameSchema } from "../../../shared/projects/services/rules/names.ts";
import { findService } from "../../../shared/projects/services/store/services.ts";
import { contentWithYaml, replaceYaml } from "./changeService.ts";
import type { loaderBody, loaderQuery } from "./schemas.ts";

type Place = z.output<typeof loaderQuery>;
type Wanted = z.output<typeof loaderBody>["service_paths"][number];

interface Found {
  name: string;
  yaml: string;
}

/**
 * Makes services of YAML files and folders of a repository (contract P 3.3); one that exists gets a new revision. Each is
 * checked before the first is stored.
 * @returns what of their YAML is warned of
 * @throws ApiError 400 for a code host or a file that cannot be read, with the field; what `createService` throws
 */
export async function importYaml(
  place: Place,
  { product_name: projectKey, service_paths: wanted }: z.output<typeof loaderBody>,
  by: string,
): Promise<ManifestWarning[]> {
  const files = await filesOf(place);
  const found = foundIn(files, wanted);
  const kind = place.production ? "production" : "test";
  for (const one of found) await check({ ...one, projectKey, kind });
  const warnings: ManifestWarning[] = [];
  for (const one of found) warnings.push(...(await store({ ...one, projectKey, kind }, by)));
  return warnings;
}

async function filesOf({ codehostName, branchName: branch, ...place }: Place): Promise<Map<string, Buffer>> {
  const opened = await openCodeHost(codehostName);
  if (opened === undefined) throw wrong("query", "codehostName", `code host ${codehostName} does not exist`);
  const repository = { namespace: place.namespace || place.repoOwner, name: place.repoName || place.repoUUID, branch };
  try {
    return await filesBelow(await readRepository(opened.host, opened.token, repository, ""), "");
  } catch (error) {
    if (!(error instanceof FileUnreadable || error instanceof ChartProblem)) throw error;
    throw wrong("query", "repoName", error.message);
  }
}

function foundIn(files: ReadonlyMap<string, Buffer>, wanted: readonly Wanted[]): Found[] {
  const found = wanted.map((one, at) => ({ at, name: nameOf(one), yaml: yamlOf(files, one) }));
  const names = found.map(({ name }) => name);
  const problems = found.flatMap(({ at, name, yaml }): [string, string][] => {
    const path = `service_paths[${at}]`;
    if (yaml === undefined) return [[`${path}.path`, missing(wanted[at])]];
    if (names.indexOf(name) < at) return [[`${path}.service_name`, `${name} is loaded twice`]];
    const said = serviceNameSchema.safeParse(name).error?.issues[0]?.message;
    return said === undefined ? [] : [[`${path}.service_name`, `is required: the path would name it ${name}; ${said}`]];
  });
  if (problems.length === 0) return found.map(({ name, yaml = "" }) => ({ name, yaml }));
  throw badRequest(problems.map(([path, problem]): Problem => ({ in: "body", path, problem })));
}

function missing({ path = "", is_dir = false }: Partial<Wanted> = {}): string {
  return is_dir
    ? `the repository has no folder ${path || "/"} with .yaml or .yml files; those of its folders do not count`
    : `the repository has no file ${path || "/"}; for a folder send is_dir: true`;
}

/** As the file without its ending, or the folder. */
function nameOf({ service_name: given, path }: Wanted): string {
  return given || (path.split("/").at(-1) ?? "").replace(/\.ya?ml$/, "");
}

/** The file, or the YAML files of a folder in the order of their names. */
function yamlOf(files: ReadonlyMap<string, Buffer>, { path, is_dir: isFolder }: Wanted): string | undefined {
  if (!isFolder) return files.get(path)?.toString("utf8");
  const prefix = path === "" ? "" : `${path}/`;
  const inFolder = [...files.keys()].filter(
    (file) => file.startsWith(prefix) && /^[^/]+\.ya?ml$/.test(file.slice(prefix.length)),
  );
  const texts = inFolder.sort().map((file) => files.get(file)?.toString("utf8").trim() ?? "");
  return texts.length === 0 ? undefined : `${texts.join("\n---\n")}\n`;
}

interface OfProject extends Found {
  projectKey: string;
  kind: ServiceKind;
}

/** @throws ApiError where it could not be stored */
async function check({ yaml, ...address }: OfProject): Promise<void> {
  const exists = (await findService(address.projectKey, address.kind, address.name)) !== undefined;
  if (exists) await contentWithYaml(address, { yaml });
  else prepareService({ yaml, variables: [] });
}

async function store({ yaml, ...address }: OfProject, by: string): Promise<ManifestWarning[]> {
  const { projectKey, kind, name } = address;
  if ((await findService(projectKey, kind, name)) !== undefined) return replaceYaml(address, { yaml }, by);
  const { revision, warnings } = await createService({ ...address, yaml, variables: [] }, by);
  if (revision > 1) await recordDefinition({ projectKey, kind, service: name }, true);
  return warnings ?? [];
}

function wrong(where: Problem["in"], path: string, problem: string) {
  return badRequest([{ in: where, path, problem }]);
}
