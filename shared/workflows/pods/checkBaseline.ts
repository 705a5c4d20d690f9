import { podViolations } from "../../kube/podSecurity/podViolations.ts";
import type { ContainerJob } from "./rules/containerJob.ts";
import { ContainerJobInvalid } from "./rules/containerJobInvalid.ts";
import type { JobManifest } from "./rules/jobManifest.ts";

interface JobSpec {
  template: { metadata: object; spec: { initContainers: readonly { name: string }[] } };
}

/**
 * Containers of users' scripts keep Kubernetes' Pod Security Standard `baseline` (decisions 17.6), though nothing enforces it in
 * the namespaces of jobs: BuildKit, whose containers are ours, needs more. Jobs that were let have more are not judged.
 * @throws ContainerJobInvalid naming the control, the reason and the field
 */
export function checkBaseline({ steps, privileged, hostDocker }: ContainerJob, made: JobManifest["job"]): void {
  const { metadata, spec } = (made.spec as JobSpec).template;
  if (privileged || hostDocker) return;
  const builds = new Set(steps.filter(({ kind }) => kind === "imageBuild").map(({ name }) => name));
  const initContainers = spec.initContainers.filter(({ name }) => !builds.has(name));
  const violations = podViolations({ metadata, spec: { ...spec, initContainers } }, "baseline");
  if (violations.length === 0) return;
  const told = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  throw new ContainerJobInvalid(`the job's pod violates the Pod Security Standard "baseline": ${told}`);
}
