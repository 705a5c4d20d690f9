import * as z from "zod";

const cluster = z.looseObject({
  server: z.string(),
  "certificate-authority-data": z.string().optional(),
  "insecure-skip-tls-verify": z.boolean().optional(),
  "tls-server-name": z.string().optional(),
});

const user = z.looseObject({
  token: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  "client-certificate-data": z.string().optional(),
  "client-key-data": z.string().optional(),
});

const context = z.looseObject({ cluster: z.string(), user: z.string().optional(), namespace: z.string().optional() });

const clusters = z.array(z.looseObject({ name: z.string(), cluster }));
const contexts = z.array(z.looseObject({ name: z.string(), context }));
const users = z
  .array(z.looseObject({ name: z.string(), user: user.nullish() }))
  .nullish()
  .transform((found) => found ?? []);

/** The part of a kubeconfig file that is read; everything else is carried along unread. */
export const kubeconfigSchema = z.looseObject({
  "current-context": z.string({ error: "names no context" }).min(1, "names no context"),
  clusters: clusters.min(1, "names no cluster"),
  contexts: contexts.min(1, "names no context"),
  users,
});

/** One of several files that are merged: any part may be missing. */
export const partialKubeconfigSchema = z.looseObject({
  "current-context": z
    .string()
    .nullish()
    .transform((name) => name ?? ""),
  clusters: clusters.nullish().transform((found) => found ?? []),
  contexts: contexts.nullish().transform((found) => found ?? []),
  users,
});

export type Kubeconfig = z.infer<typeof kubeconfigSchema>;
export type KubeconfigCluster = z.infer<typeof cluster>;
export type KubeconfigUser = z.infer<typeof user>;
