import * as z from "zod";
import { isVariable } from "../../../base/common/placeholders.ts";
import { type YamlTemplate, yamlTemplate } from "../../../manifest/edit/yamlTemplate.ts";
import { maskedValue } from "../../definition/script/keyVal.ts";
import { listOf, requiredText, text } from "../../definition/wireFields.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as resourcePatch } from "./kind.ts";

type PatchItem = z.output<typeof resourcePatch.schema>["patch_items"][number];

/** What the runner needs of the patches. */
export interface PatchRun {
  clusterId: string;
  namespace: string;
  items: { apiVersion: string; kind: string; name: string; content: YamlTemplate; strategy: string }[];
}

const resource = { resource_name: text, resource_kind: text, resource_group: text, resource_version: text };
const input = z.looseObject({
  target_list: listOf(
    z.looseObject({
      ...resource,
      inputs: listOf(z.looseObject({ key: requiredText, value: z.unknown() })),
    }),
  ),
});
type Target = z.output<typeof input>["target_list"][number];

const patchMinutes = 10;

/** Patches objects of a namespace in their order: one job task. */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { target_list } = readInputs(input, parameters, job);
    const { patch_items, patch_item_options } = readSpec(resourcePatch, job);
    if (target_list.length === 0) return { ...job.spec };
    const known = [...patch_items, ...patch_item_options];
    const chosen = target_list.flatMap((target) => {
      const item = known.find((one) => isSame(one, target));
      return item === undefined ? [] : [withInputs(item, target)];
    });
    return { ...job.spec, patch_items: chosen };
  },
  expand: async (job, scope) => {
    const { cluster_id, namespace, patch_items } = readSpec(resourcePatch, job);
    const run: PatchRun = {
      ...{ clusterId: cluster_id ?? "", namespace: namespace ?? "" },
      items: patch_items.map((item) => ({
        apiVersion: [item.resource_group, item.resource_version || "v1"].filter(Boolean).join("/"),
        ...{ kind: item.resource_kind, name: item.resource_name, strategy: item.patch_strategy || "strategic-merge" },
        content: templateOf(item, scope),
      })),
    };
    const shown = patch_items.map((item) => ({
      ...{ resource_name: item.resource_name, resource_kind: item.resource_kind },
      ...{ resource_group: item.resource_group ?? "", resource_version: item.resource_version ?? "" },
      patch_content: isOfSecret(item) ? maskedValue : shownContent(item),
      params: item.params.map((param) =>
        param.is_credential === true || isOfSecret(item) ? { ...param, value: maskedValue } : param,
      ),
      ...{ patch_strategy: item.patch_strategy || "strategic-merge", error: "" },
    }));
    return [
      {
        parts: [],
        spec: { cluster_id: run.clusterId, namespace: run.namespace, patch_items: shown },
        run: { ...run },
        timeoutMinutes: patchMinutes,
      },
    ];
  },
};

const isOfSecret = ({ resource_kind }: PatchItem): boolean => resource_kind === "Secret";

function isSame(item: PatchItem, target: Target): boolean {
  const fields = ["resource_name", "resource_kind", "resource_group", "resource_version"] as const;
  return fields.every((field) => (target[field] ?? "") === (item[field] ?? ""));
}

function withInputs(item: PatchItem, { inputs }: Target): PatchItem {
  const values = new Map(inputs.map(({ key, value }) => [key, value]));
  const params = item.params.map((param) => {
    const name = param.name ?? "";
    return values.has(name) ? { ...param, value: values.get(name) } : param;
  });
  return { ...item, params };
}

type Param = PatchItem["params"][number];

/** `{{.<name>}}` is a parameter of the item; everything else is left to the variables of the task. */
function templateOf({ patch_content, params }: PatchItem, scope: PlanScope): YamlTemplate {
  return yamlTemplate(patch_content ?? "", (path, written) => {
    const param = params.find(({ name }) => name === path);
    if (param !== undefined) return valueFrom(param, scope);
    return isVariable(written) ? written : undefined;
  });
}

function shownContent({ patch_content, params }: PatchItem): string {
  return params.reduce((content, { name, value, is_credential }) => {
    const shown = is_credential === true ? maskedValue : textOf(value);
    return content.replaceAll(`{{.${name ?? ""}}}`, () => shown);
  }, patch_content ?? "");
}

function valueFrom(param: Param, { keepSecret }: PlanScope): string {
  const value = textOf(param.value);
  return param.is_credential === true && value !== "" ? keepSecret(value) : value;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
