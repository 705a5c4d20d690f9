import * as z from "zod";
import { filledTree, listsOf, type Tree, treesOf } from "../../../manifest/tree.ts";
import { buildNotice } from "../../definition/buildNotice.ts";
import { withDefinition } from "../../definition/definitionOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import type { BuildOption } from "../../definition/jobOptions.ts";
import { scriptInputs, selection, serviceModule } from "../../definition/specParts.ts";
import { listOf, text } from "../../definition/wireFields.ts";

const items = listOf(
  z.looseObject({ ...serviceModule, build_name: text, image: text, image_name: text, ...scriptInputs }),
);
export type BuildItem = z.output<typeof items>[number];

/** Service modules are built. */
export const kind = {
  type: "zadig-build",
  words: ["Build", "构建"],
  schema: z.looseObject({
    ...selection,
    docker_registry_id: text,
    service_and_builds: items,
    default_service_and_builds: items,
    service_and_builds_options: items,
  }),
  references: { kind: "build", lists: ["service_and_builds", "default_service_and_builds"], field: "build_name" },
  needs: () => ({ builds: true }),
  options: (spec, { builds }) => ({
    ...spec,
    ...listsOf(spec, ["service_and_builds", "default_service_and_builds"]),
    service_and_builds_options: buildOptions(spec, builds),
  }),
  filled: (spec) => {
    const lists = ["service_and_builds", "default_service_and_builds", "service_and_builds_options"];
    const filled = lists.map((list) => [list, treesOf(spec[list]).map(filledItem)]);
    return { docker_registry_id: "", ...spec, ...Object.fromEntries(filled) };
  },
  notice: buildNotice,
  givesImages: true,
} as const satisfies JobKind;

/**
 * One entry for every build of a module, with its repositories and variables unless the job sets others. Stored entries
 * come first; chosen ones are shown as they were chosen.
 */
function buildOptions(spec: Tree, builds: readonly BuildOption[]): Tree[] {
  const buildOf = (item: Tree) => builds.find((build) => isOf(item, build));
  const stored = treesOf(spec.service_and_builds_options);
  const offered = new Set(stored.map(buildOf));
  const chosen = [...treesOf(spec.service_and_builds), ...treesOf(spec.default_service_and_builds)];
  const added = builds
    .filter((build) => !offered.has(build))
    .map((build): Tree => {
      const { serviceName, serviceModule: module, buildName } = build;
      const name = { service_name: serviceName, service_module: module, build_name: buildName };
      const empty = { image: "", package: "", image_name: module, share_storage_info: null };
      return { ...empty, ...chosen.find((item) => buildOf(item) === build), ...name };
    });
  return [...stored, ...added].map((item) => withDefinition(item, buildOf(item)));
}

/** An item that names no build means the first one of its module, as when it runs. */
function isOf({ service_name, service_module, build_name }: Tree, build: BuildOption): boolean {
  const isModule = service_name === build.serviceName && service_module === build.serviceModule;
  return isModule && (!build_name || build_name === build.buildName);
}

function filledItem(item: Tree): Tree {
  const image_name = item.service_module ?? "";
  return filledTree({ build_name: "", image: "", image_name, key_vals: [], repos: [], share_storage_info: null }, item);
}
