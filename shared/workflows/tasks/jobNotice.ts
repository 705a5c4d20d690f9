import type { JobNotice, JobSpecNotice, RepositoryNotice, ScanMetrics } from "../../notify/rules/taskNotice.ts";
import type { JobPlan, JobRecord } from "../records/task.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What messages say about a job of a task, of its shown spec (contract W 4.3, 4.4). */
export function jobNotice(plan: JobPlan, record: JobRecord | undefined, spec: Fields): JobNotice {
  const { status = "", startTime = 0, endTime = 0, error = "", outputs = {} } = record ?? {};
  const { name, displayName, type } = plan;
  return {
    name,
    displayName,
    type,
    status,
    startTime,
    endTime,
    error,
    spec: specOf(type, spec, outputs),
  };
}

function specOf(type: string, spec: Fields, outputs: Readonly<Record<string, string>>): JobSpecNotice {
  switch (type) {
    case "zadig-build":
    case "freestyle":
      return {
        kind: "build",
        repositories: objects(spec.repos).map(repositoryOf),
        image: textOf(spec.image) || (outputs.IMAGE ?? ""),
      };
    case "zadig-deploy":
    case "zadig-helm-deploy":
      return deployOf(spec);
    case "zadig-test":
      return testOf(spec);
    case "zadig-scanning":
      return { kind: "scan", metrics: metricsOf(spec.sonar_metrics) };
    default:
      return { kind: "other" };
  }
}

function deployOf(spec: Fields): JobSpecNotice {
  const modules = objects(spec.service_and_images);
  return {
    kind: "deploy",
    environment: textOf(spec.env),
    serviceName: textOf(spec.service_name) || textOf(modules[0]?.service_name),
    serviceModules: modules.map(({ service_module, image }) => ({
      ...{ serviceModule: textOf(service_module), image: textOf(image) },
    })),
  };
}

/** A test that brought no report says nothing of numbers (contract W 13.4). */
function testOf(spec: Fields): JobSpecNotice {
  const { test_case_num: total, success_case_num: succeeded, failed_case_num: failed, error_case_num: errors } = spec;
  if (typeof total !== "number") return { kind: "other" };
  return { kind: "test", succeeded: numberOf(succeeded), failed: numberOf(failed) + numberOf(errors), total };
}

function metricsOf(value: unknown): ScanMetrics | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const metrics: Fields = { ...value };
  return {
    qualityGateStatus: textOf(metrics.QualityGateStatus),
    ncloc: textOf(metrics.Ncloc),
    bugs: textOf(metrics.Bugs),
    vulnerabilities: textOf(metrics.Vulnerabilities),
    codeSmells: textOf(metrics.CodeSmells),
    coverage: textOf(metrics.Coverage),
  };
}

function repositoryOf(repository: Fields): RepositoryNotice {
  const numbers = Array.isArray(repository.prs) ? repository.prs : [repository.pr];
  return {
    source: textOf(repository.source),
    address: textOf(repository.address),
    owner: textOf(repository.repo_owner),
    namespace: textOf(repository.repo_namespace),
    name: textOf(repository.repo_name),
    branch: textOf(repository.branch),
    pullRequests: numbers.filter((number): number is number => typeof number === "number" && number > 0),
    tag: textOf(repository.tag),
    authorName: textOf(repository.author_name),
    commitId: textOf(repository.commit_id),
    commitMessage: textOf(repository.commit_message),
    isPrimary: repository.is_primary === true,
  };
}

function objects(value: unknown): Fields[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Fields => typeof one === "object" && one !== null);
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
