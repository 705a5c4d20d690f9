import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { isObject, madeRecord, message, plainName, recordId } from "../../../shared/http/schemas.ts";
import { strategyKinds } from "../../../shared/kube/clusters/store/clusters.ts";
import { nodeLabelProblem, tolerationsProblem } from "./tolerations.ts";

const nodeLabel = z.string("must be a text").superRefine((text, context) => {
  const problem = nodeLabelProblem(text);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

const tolerationText = z
  .string()
  .max(4096, { error: "must have at most 4096 characters", abort: true })
  .superRefine((text, context) => {
    const problem = tolerationsProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

const fields = {
  name: plainName(),
  strategy: z.enum(strategyKinds, `must be one of ${strategyKinds.join(", ")}`),
  node_labels: z.array(nodeLabel).max(20, "must have at most 20 labels").default([]),
  tolerations: tolerationText.default(""),
  default: z.boolean().default(false),
};

function checkLabels(body: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void {
  const add = (message: string) => context.addIssue({ code: "custom", path: ["node_labels"], message });
  const { strategy, node_labels: labels } = body;
  if (!Array.isArray(labels)) return;
  if ((strategy === "required" || strategy === "preferred") && labels.length === 0)
    add(`is required for strategy ${strategy}`);
  if (strategy === "normal" && labels.length > 0) add("does not belong to strategy normal");
}

export const newStrategy = z.object(fields).superRefine(checkLabels, { when: isObject });

/** The id tells which is replaced, so that it can be renamed; without it the name does. */
export const setStrategy = z
  .object({ id: recordId.optional(), ...fields })
  .superRefine(checkLabels, { when: isObject });

export const strategy = z
  .object({
    id: z.string(),
    name: z.string(),
    strategy: z.enum(strategyKinds),
    node_labels: z.array(z.string()),
    tolerations: z.string(),
    default: z.boolean(),
  })
  .meta({ id: "SchedulingStrategy" });

const path = "/api/aslan/cluster/clusters/:id(hex)/strategy";
const common = { tag: "Clusters", permission: { kind: "systemAdmin" } } as const;
const ofCluster = z.object({ id: z.string() });
const words = { function: "Resource Configuration - Cluster" } as const;
const named = ({ params, body }: RawRequest): string =>
  [params.id, typeof body.name === "string" ? body.name : ""].filter((part) => part !== "").join(":");

export const strategyRoutes = {
  listStrategies: defineRoute({
    ...common,
    method: "GET",
    path,
    summary: "List how jobs may be placed on a cluster, by name",
    params: ofCluster,
    response: z.array(strategy),
  }),
  addStrategy: defineRoute({
    ...common,
    method: "POST",
    path,
    summary: "Add a way to place jobs on a cluster",
    params: ofCluster,
    body: newStrategy,
    response: madeRecord,
    audit: { ...words, method: "Add", detail: named, body: "json" },
  }),
  setStrategy: defineRoute({
    ...common,
    method: "PUT",
    path,
    summary: "Replace a way to place jobs by its id or name; a new name adds one",
    params: ofCluster,
    body: setStrategy,
    response: madeRecord,
    audit: { ...words, method: "Update", detail: named, body: "json" },
  }),
  deleteStrategy: defineRoute({
    ...common,
    method: "DELETE",
    path: "/api/aslan/cluster/clusters/:id(hex)/strategy/:strategyId(hex)",
    summary: "Delete a way to place jobs that is not the default and nothing refers to",
    params: z.object({ id: z.string(), strategyId: z.string() }),
    response: message,
    audit: {
      ...words,
      method: "Delete",
      detail: ({ params: { id, strategyId } }) => `${id}:${strategyId}`,
      body: "none",
    },
  }),
};
