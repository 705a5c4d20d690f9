import * as z from "zod";
import { clusterProviders, eksProvider } from "../../../shared/kube/clusters/providers.ts";
import { allProjects } from "../../../shared/kube/clusters/store/clusters.ts";

const name = z
  .string("The cluster name does not meet the rules: 1 to 100 letters, digits and hyphens")
  .trim()
  .regex(/^[0-9a-zA-Z-]{1,100}$/, "The cluster name does not meet the rules: 1 to 100 letters, digits and hyphens");

const description = z.string().max(1024, "must have at most 1024 characters");

const projectNames = z
  .array(
    z
      .string()
      .refine((key) => key === allProjects || /^[a-z\d-]{1,63}$/.test(key), `must be a project key or ${allProjects}`),
  )
  .max(1000, "must name at most 1000 projects")
  .transform((keys) => [...new Set(keys)]);

/** Stored inside the record, so far below the size of an item; one context with its certificates takes some 10 KB. */
const maxKubeconfigBytes = 64 * 1024;

const kubeconfigText = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) <= maxKubeconfigBytes,
    `must have at most ${maxKubeconfigBytes} bytes; send the one context needed`,
  );

const eks = z
  .object({
    region: z.string().regex(/^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/, "must be a region such as eu-central-1"),
    cluster_name: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/, "must be the name of an EKS cluster"),
    role_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, "must be arn:aws:iam::<account>:role/<name>"),
    external_id: z.string().regex(/^[\w+=,.@:/-]{2,1224}$/, "must be 2 to 1224 letters, digits and + = , . @ : / - _"),
  })
  .meta({ description: "How to reach an EKS cluster: by a role that trusts this installation" });

export const newCluster = z
  .object({
    name,
    type: z.enum(["kubeconfig", "agent"], "must be kubeconfig or agent"),
    kube_config: kubeconfigText.default(""),
    eks: eks.optional(),
    production: z.boolean().default(false),
    provider: z
      .int("must be 0 to 7")
      .min(0, "must be 0 to 7")
      .max(clusterProviders.length - 1, "must be 0 to 7")
      .default(0),
    description: description.default(""),
    project_names: projectNames.default([]),
  })
  .superRefine(
    ({ type, kube_config, eks, provider }, context) => {
      const add = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
      const hasText = typeof kube_config === "string" && kube_config !== "";
      if (type === "kubeconfig" && !hasText && eks === undefined)
        add("kube_config", "is required for type kubeconfig, unless eks says how an EKS cluster is reached");
      if (eks === undefined || type === "agent") return;
      if (hasText) add("eks", "cannot stand beside kube_config");
      if (provider !== eksProvider) add("eks", `needs provider ${eksProvider}`);
    },
    { when: ({ value }) => typeof value === "object" && value !== null },
  );

/** What is absent or null keeps its value. */
export const changedCluster = z.object({
  name: name.nullish(),
  description: description.nullish(),
  project_names: projectNames.nullish(),
  kube_config: kubeconfigText
    .optional()
    .meta({ description: "A new kubeconfig for a cluster that was registered with one; absent or empty keeps it" }),
});

export const cluster = z
  .object({
    cluster_id: z.string(),
    name: z.string(),
    production: z.boolean(),
    description: z.string(),
    provider: z.int(),
    provider_name: z.string(),
    created_by: z.string(),
    created_time: z.int(),
    local: z.boolean(),
    status: z.enum(["normal", "pending", "abnormal", "disconnected"]),
    status_message: z.string().optional().meta({ description: "Why it is abnormal; shown to system administrators" }),
    type: z.enum(["agent", "kubeconfig"]),
    project_names: z.array(z.string()),
  })
  .meta({ id: "Cluster" });
