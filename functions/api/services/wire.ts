import type * as z from "zod";
import { maskedTemplate } from "../../../shared/kube/live/maskedTemplate.ts";
import type { ServiceChart, ServiceRecord, ServiceSummary } from "../../../shared/projects/services/store/services.ts";
import type { RevisionSummary } from "../../../shared/projects/services/store/standingRevisions.ts";
import type { newService, serviceDetail, serviceItem, serviceRevision, templateLoad } from "./schemas.ts";

export function toNewService(body: z.output<typeof newService>) {
  return { name: body.service_name, yaml: body.yaml, variables: body.variable_yaml, strict: body.strict };
}

export function toLoad(body: z.output<typeof templateLoad>) {
  const { project_key, service_name, template_name, auto_sync, variable_yaml } = body;
  const template = { name: template_name, autoSync: auto_sync, values: variable_yaml };
  return { projectKey: project_key, name: service_name, template };
}

export function itemAnswer({ name, source, containers, isChart }: ServiceSummary): z.input<typeof serviceItem> {
  return {
    service_name: name,
    source,
    type: isChart ? "helm" : "k8s",
    containers: containers.map(({ name, image, imageName }) => ({ name, image, image_name: imageName })),
  };
}

function chartAnswer({ name, version, digest }: ServiceChart) {
  return { name, version, digest };
}

/** @param withSecrets whether the caller may see values of Secrets in the text (decisions 17.5) */
export function detailAnswer(
  service: ServiceRecord,
  { withSecrets }: { withSecrets: boolean },
): z.input<typeof serviceDetail> {
  return {
    service_name: service.name,
    source: service.source,
    type: service.chart ? "helm" : "k8s",
    ...(service.chart && { chart: chartAnswer(service.chart) }),
    template_name: (service.chart ?? service).template?.name ?? "",
    created_by: service.createdBy,
    created_time: service.createdAt,
    yaml: withSecrets || service.chart ? service.yaml : maskedTemplate(service.yaml),
    containers: service.containers.map(({ imageName, imagePath, ...container }) => ({
      ...container,
      image_name: imageName,
      image_path: imagePath,
    })),
    service_variable_kvs: service.variables,
    strict: service.strict === true,
    warnings: service.warnings,
  };
}

export function revisionAnswer({ revision, createdBy, createdAt, source, containers }: RevisionSummary) {
  return {
    ...{ revision, created_by: createdBy, created_time: createdAt, source },
    images: containers.map(({ image }) => image),
  } satisfies z.input<typeof serviceRevision>;
}
