import type * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { ServiceModule } from "../../definition/specParts.ts";
import { findRunnableBuild, type RunnableBuild } from "../../jobDefinitions/runnableBuild.ts";
import { builds } from "../../jobDefinitions/store/builds.ts";
import { isSameModule, modulesOfJob, originOf } from "../modulesOfJob.ts";
import type { PlanScope } from "../planner.ts";
import type { BuildItem, kind as zadigBuild } from "./kind.ts";

type BuildSpec = z.output<typeof zadigBuild.schema>;

/** What may be built: what the job lists, else the module by the build of the project that makes it (contract W 2.2). */
export async function findOption(
  spec: BuildSpec,
  module: ServiceModule & Pick<BuildItem, "build_name">,
  { project }: PlanScope,
): Promise<BuildItem | undefined> {
  const { service_and_builds, service_and_builds_options, default_service_and_builds } = spec;
  const listed = [...service_and_builds, ...service_and_builds_options, ...default_service_and_builds];
  const isMeant = (name: BuildItem["build_name"]) => !module.build_name || name === module.build_name;
  const found = listed.find((one) => isSameModule(one, module) && isMeant(one.build_name));
  if (found !== undefined) return found;
  const summaries = await builds.list(project.key);
  const build = summaries.find(
    ({ name, targets }) => isMeant(name) && targets.some((target) => isSameModule(moduleOf(target), module)),
  );
  return (
    build && {
      ...moduleOf({ serviceName: module.service_name, serviceModule: module.service_module }),
      build_name: build.name,
      key_vals: [],
      repos: [],
    }
  );
}

function moduleOf({ serviceName, serviceModule }: { serviceName: string; serviceModule: string }): ServiceModule {
  return { service_name: serviceName, service_module: serviceModule };
}

/** The chosen modules; otherwise the preselected ones, or those of the job that they come from. */
export async function itemsOf(spec: BuildSpec, by: string, scope: PlanScope): Promise<BuildItem[]> {
  if (spec.source === "fromjob") {
    const modules = modulesOfJob(scope, { by, from: originOf(spec), mustRun: false });
    const found = await Promise.all(modules.map((module) => findOption(spec, module, scope)));
    return found.filter((one) => one !== undefined);
  }
  return spec.service_and_builds.length > 0 ? spec.service_and_builds : spec.default_service_and_builds;
}

/** @throws ApiError 6160 when the build of a module is gone */
export async function requireBuild(item: BuildItem, scope: PlanScope): Promise<RunnableBuild> {
  const { service_name, service_module, build_name } = item;
  const target = { serviceName: service_name, serviceModule: service_module };
  const name = build_name || (await buildOf(target, scope));
  const build = name === "" ? undefined : await findRunnableBuild(scope.project.key, name, target);
  if (build !== undefined) return build;
  throw new ApiError(6160, `build ${name || "of"} ${service_name}/${service_module} does not exist in the project`);
}

async function buildOf(
  target: { serviceName: string; serviceModule: string },
  { project }: PlanScope,
): Promise<string> {
  const summaries = await builds.list(project.key);
  const found = summaries.find(({ targets }) =>
    targets.some((one) => one.serviceName === target.serviceName && one.serviceModule === target.serviceModule),
  );
  return found?.name ?? "";
}
