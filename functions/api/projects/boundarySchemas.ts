import * as z from "zod";
import { podSecurityLevels } from "../../../shared/kube/podSecurity/podViolations.ts";
import { type Boundary, defaultBoundary } from "../../../shared/projects/rules/boundary.ts";

const most = 100;
const entry = z.string("must be a text").max(63, "must have at most 63 characters");
const entries = z.array(entry, "must be a list of texts").max(most, `must have at most ${most} entries`);

/** A field that is absent is as in a project whose boundary was never set: the boundary is replaced as a whole. */
export const newBoundary = z.strictObject({
  namespaces: entries.default([...defaultBoundary.namespaces]),
  cluster_scoped_kinds: entries.default([...defaultBoundary.clusterScopedKinds]),
  pod_security: z
    .enum(podSecurityLevels, `must be one of ${podSecurityLevels.join(", ")}`)
    .default(defaultBoundary.podSecurity),
  privileged_jobs: z.boolean("must be true or false").default(defaultBoundary.privilegedJobs),
});

export const boundary = z
  .object({
    namespaces: z.array(z.string()),
    cluster_scoped_kinds: z.array(z.string()),
    pod_security: z.enum(podSecurityLevels),
    privileged_jobs: z.boolean(),
  })
  .meta({ id: "ProjectBoundary" });

export function toBoundary(sent: z.output<typeof newBoundary>): Boundary {
  return {
    namespaces: sent.namespaces,
    clusterScopedKinds: sent.cluster_scoped_kinds,
    podSecurity: sent.pod_security,
    privilegedJobs: sent.privileged_jobs,
  };
}

export function shownBoundary(stored: Boundary): z.input<typeof boundary> {
  return {
    namespaces: [...stored.namespaces],
    cluster_scoped_kinds: [...stored.clusterScopedKinds],
    pod_security: stored.podSecurity,
    privileged_jobs: stored.privilegedJobs,
  };
}
