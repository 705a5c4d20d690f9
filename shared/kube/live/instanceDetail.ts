import { unixSeconds } from "../../base/common/dateTime.ts";
import { imageName } from "../../manifest/containers.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { ageText } from "./ageText.ts";
import {
  isCronJob,
  isIngress,
  isPod,
  isService,
  isWorkload,
  type LiveCronJob,
  type LiveIngress,
  type LiveService,
  type PodSpec,
} from "./liveTypes.ts";
import { type PodDetail, podDetail } from "./podDetail.ts";
import { podsOf, podsOfCronJob } from "./podsOf.ts";

export interface InstanceImage {
  name: string;
  image: string;
  image_name: string;
}

export interface Scale {
  name: string;
  type: string;
  images: InstanceImage[];
  pods: PodDetail[];
  replicas: number;
  vendor_release_type: string;
  vendor_release_tag: string;
  zadigx_release_type: string;
  zadigx_release_tag: string;
}

export interface IngressDetail {
  name: string;
  labels: Record<string, string>;
  host_info: {
    host: string;
    backend: { path: string; path_type: string; service_name: string; service_port: string }[];
  }[];
  ips: string[];
  age: string;
}

export interface ServiceEndpoints {
  name: string;
  age: string;
  labels: Record<string, string>;
  endpoints: { service_name: string; service_port: number; node_port: number }[];
}

export interface CronJobDetail {
  name: string;
  labels: Record<string, string>;
  images: InstanceImage[];
  pods: PodDetail[];
  create_time: number;
  suspend: boolean;
  schedule: string;
  last_schedule: string;
  active: number;
}

/** The live part of a service's instance detail, spelled as on the wire (contract P 5.1, decisions 6.7). */
export interface InstanceDetail {
  scales: Scale[];
  ingress: IngressDetail[];
  service_endpoints: ServiceEndpoints[];
  cron_jobs: CronJobDetail[];
}

const scaled = new Set(["Deployment", "StatefulSet", "DaemonSet", "Job", "CloneSet"]);

/**
 * Maps the live objects of one service; what controllers made besides pods is left out.
 * @param now milliseconds, for ages
 */
export function instanceDetail(objects: readonly LiveObject[], now: number): InstanceDetail {
  const own = [...objects].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return {
    scales: [...workloadScales(own, now), ...barePodScales(own, now)],
    ingress: own.filter(isIngress).map((ingress) => ingressDetail(ingress, now)),
    service_endpoints: own.filter(isService).map((service) => serviceEndpoints(service, now)),
    cron_jobs: own.filter(isCronJob).map((cronJob) => cronJobDetail(cronJob, own, now)),
  };
}

function workloadScales(objects: readonly LiveObject[], now: number): Scale[] {
  return objects.filter(isWorkload).flatMap((workload) => {
    if (!scaled.has(workload.kind) || workload.metadata.ownerReferences?.some(({ controller }) => controller))
      return [];
    const { spec = {}, status = {}, kind, metadata } = workload;
    const pods = podsOf(workload, objects).map((pod) => podDetail(pod, now));
    const byKind: Record<string, number> = { DaemonSet: status.desiredNumberScheduled ?? 0, Job: pods.length };
    return [scale(metadata.name, kind, spec.template?.spec, pods, byKind[kind] ?? spec.replicas ?? 1)];
  });
}

/** A pod that nothing controls is shown as a workload of its own; the contract has no other place for it. */
function barePodScales(objects: readonly LiveObject[], now: number): Scale[] {
  return objects
    .filter(isPod)
    .filter(({ metadata }) => (metadata.ownerReferences ?? []).length === 0)
    .map((pod) => scale(pod.metadata.name, "Pod", pod.spec, [podDetail(pod, now)], 1));
}

function scale(name: string, type: string, spec: PodSpec | undefined, pods: PodDetail[], replicas: number): Scale {
  return {
    name,
    type,
    images: images(spec),
    pods,
    replicas,
    vendor_release_type: "",
    vendor_release_tag: "",
    zadigx_release_type: "",
    zadigx_release_tag: "",
  };
}

function images(spec: PodSpec | undefined): InstanceImage[] {
  return (spec?.containers ?? []).map(({ name, image = "" }) => ({ name, image, image_name: imageName(image) }));
}

function ingressDetail({ metadata, spec, status }: LiveIngress, now: number): IngressDetail {
  const rules =
    spec?.rules ??
    (spec?.defaultBackend === undefined ? [] : [{ http: { paths: [{ backend: spec.defaultBackend }] } }]);
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    host_info: rules.map((rule) => ({
      host: "host" in rule ? (rule.host ?? "") : "",
      backend: (rule.http?.paths ?? []).map((path) => ({
        path: "path" in path ? (path.path ?? "") : "",
        path_type: "pathType" in path ? (path.pathType ?? "") : "",
        service_name: path.backend?.service?.name ?? "",
        service_port: String(path.backend?.service?.port?.number ?? path.backend?.service?.port?.name ?? ""),
      })),
    })),
    ips: (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? ""),
    age: ageText(metadata.creationTimestamp, now),
  };
}

function serviceEndpoints({ metadata, spec }: LiveService, now: number): ServiceEndpoints {
  return {
    name: metadata.name,
    age: ageText(metadata.creationTimestamp, now),
    labels: metadata.labels ?? {},
    endpoints: (spec?.ports ?? []).map(({ port, nodePort = 0 }) => ({
      service_name: metadata.name,
      service_port: port,
      node_port: nodePort,
    })),
  };
}

function cronJobDetail(cronJob: LiveCronJob, objects: readonly LiveObject[], now: number): CronJobDetail {
  const { metadata, spec, status } = cronJob;
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    images: images(spec?.jobTemplate?.spec?.template?.spec),
    pods: podsOfCronJob(cronJob, objects).map((pod) => podDetail(pod, now)),
    create_time: unixSeconds(metadata.creationTimestamp),
    suspend: spec?.suspend ?? false,
    schedule: spec?.schedule ?? "",
    last_schedule: status?.lastScheduleTime ?? "N/A",
    active: (status?.active ?? []).length,
  };
}
