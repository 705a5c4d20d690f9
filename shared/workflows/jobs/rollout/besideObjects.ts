import { EnvironmentProblem } from "../../../environments/failures.ts";
import { besideName, type Rollout, sharesTraffic } from "../../../environments/store/rollouts.ts";
import { environmentLabel, rolloutLabel, serviceLabel } from "../../../kube/apply/marks.ts";
import type { LiveObject } from "../../../kube/client/ClusterClient.ts";
import { releaseSubsets } from "../../../kube/mesh/weightedRoutes.ts";
import { isRecord, type KubeObject } from "../../../manifest/schema/kubeObject.ts";
import { at } from "../../../manifest/workloads.ts";
import { textsAt } from "./findTarget.ts";

const longestLabel = 63;

/**
 * The selector that leads to the pods beside (decisions 12.2).
 * @throws EnvironmentProblem for a value that is too long for it
 */
export function blueSelector(selector: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, blueValue(key, value)]));
}

function blueValue(key: string, value: string): string {
  const blue = besideName(value, { mode: "blue-green" });
  if (blue.length > longestLabel)
    throw new EnvironmentProblem(
      `label ${key} would be ${blue}, longer than the ${longestLabel} characters of a label; shorten its value`,
    );
  return blue;
}

/**
 * A Deployment of the new images beside the one that runs. None of its pods is taken for one of the other's, nor for one
 * that an environment applied; those that share its traffic are found by the same Service.
 */
export function besideDeployment(live: LiveObject, rollout: Rollout): KubeObject {
  const mark = { [rolloutLabel]: rollout.owner };
  const labels = textsAt(live, ["spec", "template", "metadata", "labels"]);
  const own = sharesTraffic(rollout) ? [] : ownLabels(live, labels, rollout.selector);
  const changed = Object.fromEntries(own.map((key) => [key, blueValue(key, labels[key] ?? "")]));
  const { [environmentLabel]: _environment, [serviceLabel]: _service, ...kept } = labels;
  const subset = rollout.mode === "istio" ? releaseSubsets.new.labels : {};
  const podLabels = { ...kept, ...changed, ...rollout.shiftedSelector, ...mark, ...subset };
  const { selector: _selector, template, ...spec } = isRecord(live.spec) ? live.spec : {};
  const annotations = textsAt(live, ["spec", "template", "metadata", "annotations"]);
  const podSpec = at(template, ["spec"]);
  const containers = at(podSpec, ["containers"]);
  const images = new Map(rollout.images.map(({ container, after }) => [container, after]));
  const renewed = (Array.isArray(containers) ? containers : []).map((one: unknown) =>
    isRecord(one) ? { ...one, image: images.get(String(one.name)) ?? one.image } : one,
  );
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: besideName(rollout.name, rollout), namespace: rollout.namespace, labels: mark },
    spec: {
      ...spec,
      ...(rollout.replicas !== undefined && { replicas: rollout.replicas }),
      selector: { matchLabels: { ...changed, ...rollout.shiftedSelector, ...mark } },
      template: {
        metadata: { labels: podLabels, annotations },
        spec: { ...(isRecord(podSpec) ? podSpec : {}), containers: renewed },
      },
    },
  };
}

/** Labels by which the workload knows its pods, unless the Service's own already tell them apart. */
function ownLabels(
  live: LiveObject,
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, string>>,
): string[] {
  const named = Object.keys(textsAt(live, ["spec", "selector", "matchLabels"]));
  const expressions = at(live, ["spec", "selector", "matchExpressions"]);
  const expressed = Array.isArray(expressions) ? expressions.map((one: unknown) => String(at(one, ["key"]))) : [];
  const all = [...named, ...expressed].filter((key) => labels[key] !== undefined);
  return all.some((key) => selector[key] !== undefined) ? [] : all;
}

/** A Service of its own, by which the new pods can be tried before they get the traffic. */
export function blueService(service: LiveObject, rollout: Rollout): KubeObject {
  const ports = at(service, ["spec", "ports"]);
  const plain = (Array.isArray(ports) ? ports : []).map((port: unknown) => {
    const { nodePort: _nodePort, ...rest } = isRecord(port) ? port : {};
    return rest;
  });
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...{ name: besideName(rollout.kubeService, rollout), namespace: rollout.namespace },
      labels: { [rolloutLabel]: rollout.owner },
    },
    spec: { type: "ClusterIP", selector: rollout.shiftedSelector, ports: plain },
  };
}
