import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { isShell, withTextsApart } from "../../definition/outsideTexts.ts";
import { maskedValue } from "../../definition/script/keyVal.ts";
import type { ContainerRun } from "../container/containerRun.ts";
import { keptCredential, paramVariables, variableInputs } from "../container/jobVariables.ts";
import { requirePlaceFor, settingsOfForm } from "../container/settings.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as plugin } from "./kind.ts";

type PluginSpec = NonNullable<z.output<typeof plugin.schema>["plugin"]>;
type PluginInput = PluginSpec["inputs"][number];

/** What a plugin job runs: an image as it is. */
export interface PluginRun extends ContainerRun {
  image: string;
  command: readonly string[];
  args: readonly string[];
}

/** The image of a plugin with its inputs (contract W 5): `$(inputs.<name>)` in arguments, commands and variables. */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const spec = readSpec(plugin, job);
    const { kv } = readInputs(z.looseObject({ kv: variableInputs }), parameters, job);
    const inputs = (spec.plugin?.inputs ?? []).map((one) => withValue(one, kv));
    return { ...job.spec, plugin: { ...spec.plugin, inputs } };
  },
  expand: async (job, scope) => {
    const spec = readSpec(plugin, job);
    const { image, inputs = [], envs = [], cmds, args, outputs = [] } = spec.plugin ?? {};
    if (!image) throw new ApiError(6160, `job ${job.name}: plugin.image cannot be empty`);
    const form = spec.advanced_setting ?? spec.advanced_settings ?? spec.properties;
    const settings = settingsOfForm(scope.project.key, form ?? undefined);
    await requirePlaceFor(scope.project.key, `job ${job.name}`, settings);
    const values = valuesOf(inputs, scope);
    const placed = (value: string) => withInputValues(value, values);
    const written = [...(cmds ?? []), ...(args ?? [])];
    const { scripts, variables: textVariables } = isShell(cmds ?? [], args ?? [])
      ? withTextsApart(written, scope.definition, values)
      : { scripts: written, variables: [] };
    const [command, rest] = [scripts.slice(0, cmds?.length ?? 0), scripts.slice(cmds?.length ?? 0)];
    const run: PluginRun = {
      ...{ refusal: "", repositories: [], facts: [], settings, cacheName: job.name },
      image: placed(image),
      command: command.map(placed),
      args: rest.map(placed),
      variables: [
        ...paramVariables(scope),
        ...envs.map(({ name, value }) => ({ name, value: placed(value ?? ""), isCredential: false })),
        ...textVariables,
      ],
      outputs: outputs.map(({ name }) => name),
      ignoreCache: scope.definition.ignore_cache === true,
    };
    const shown = inputs.map((one) =>
      one.is_credential === true ? { ...one, value: maskedValue, choice_value: [] } : one,
    );
    return [
      { parts: [], spec: { ...spec.plugin, inputs: shown }, run: { ...run }, timeoutMinutes: settings.timeoutMinutes },
    ];
  },
};

function withValue(one: PluginInput, given: readonly { key: string; value: string }[]): PluginInput {
  const found = given.findLast(({ key }) => key === one.name);
  if (found === undefined) return one;
  const isList = one.type === "multi-select";
  return {
    ...one,
    value: found.value,
    ...(isList && { choice_value: found.value.split(",").filter((text) => text !== "") }),
  };
}

function valuesOf(inputs: readonly PluginInput[], { keepSecret }: PlanScope): Map<string, string> {
  return new Map(
    inputs.map(({ name, value, type, choice_value, is_credential }) => {
      const text = type === "multi-select" && choice_value?.length ? choice_value.join(",") : String(value ?? "");
      return [name, is_credential === true ? keptCredential(text, keepSecret) : text];
    }),
  );
}

/** Unknown inputs stay as they are. */
function withInputValues(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(/\$\(inputs\.([^()]+)\)/g, (whole, name: string) => values.get(name) ?? whole);
}
