import { recordMetric } from "../base/metrics/recordMetric.ts";
import { log } from "../base/settings/log.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { NotDelivered } from "../integrations/notify/client/notDelivered.ts";
import { postJson } from "../integrations/notify/client/post.ts";
import { withDigest } from "../packaging/images/rules/imageReference.ts";
import { piecesOf } from "./rules/version.ts";
import { findVersionHook } from "./store/versionHooks.ts";
import type { WholeVersion } from "./store/versions.ts";

/**
 * Tells the project's hook of a version that has just succeeded (contract D 1.12). Who is not there is told nothing: a
 * version does not wait for its hook. It may be told again when this process dies before the status is stored.
 */
export async function notifyVersionHook(whole: WholeVersion): Promise<void> {
  const { version } = whole;
  const { enabled, host, path } = await findVersionHook(version.projectKey);
  if (!enabled) return;
  const body = {
    ...{ project_name: version.projectKey, version: version.name, status: "success", error: "" },
    ...{ start_time: version.roundStartedAt, end_time: nowSeconds(), charts: shownCharts(whole) },
    services: shownServices(whole),
  };
  const problem = await outcome(`${host.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`, JSON.stringify(body));
  recordMetric("deliveries", { type: "version-hook", outcome: problem === undefined ? "sent" : "failed" }, 1);
  if (problem !== undefined)
    log.warn("hook of a version not told", { versionId: version.versionId, internal: problem });
}

function shownCharts(whole: WholeVersion) {
  const images = new Map(shownServices(whole).map((service) => [service.service_name, service.images]));
  return whole.services.flatMap(({ name, chart }, at) =>
    chart === undefined
      ? []
      : {
          ...{ chart_name: chart.name, chart_version: chart.version, chart_url: whole.charts[at]?.url ?? "" },
          images: images.get(name) ?? [],
        },
  );
}

/** Images without a digest are named as the version names them. */
function shownServices(whole: WholeVersion) {
  const pieces = piecesOf(whole);
  return whole.services.map((service) => ({
    service_name: service.name,
    images: pieces
      .filter(({ of }) => of === service)
      .map(({ what: { container, targetImage }, state: { digest } }) => ({
        ...{ service_module: container, image: digest === "" ? targetImage : withDigest(targetImage, digest) },
      })),
  }));
}

async function outcome(address: string, body: string): Promise<string | undefined> {
  try {
    const { status } = await postJson(address, body);
    return status === 200 ? undefined : `it answered ${status}`;
  } catch (error) {
    if (error instanceof NotDelivered) return error.message;
    throw error;
  }
}
