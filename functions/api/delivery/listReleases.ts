import { createHash } from "node:crypto";
import type * as z from "zod";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { openStatuses, piecesOf } from "../../../shared/delivery/rules/version.ts";
import {
  findWholeVersion,
  pageOfVersions,
  versionIds,
  type WholeVersion,
} from "../../../shared/delivery/store/versions.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { requireListReader } from "./readableVersion.ts";
import type { list, query } from "./releaseSchemas.ts";
import { versionAnswer } from "./wire.ts";

type Release = z.input<typeof list>[number];
type Wanted = z.output<typeof query>;

/** Versions that are read at once. */
const atOnce = 10;

/**
 * A page of versions in the form of older releases, and how many there are. No version comes from a workflow, so that a
 * filter by one finds nothing.
 * @throws ApiError 403
 */
export async function listReleases(wanted: Wanted, caller: Caller): Promise<{ releases: Release[]; total: number }> {
  await requireListReader(caller, wanted.projectName);
  if (wanted.workflowName !== "" || wanted.taskId !== 0) return { releases: [], total: 0 };
  const { ids, total } = await pageOfIds(wanted);
  const found = await mapBounded(ids, atOnce, (id) => findWholeVersion(id, { consistent: false }));
  // One that was deleted since is left out.
  const standing = found.filter((whole) => whole !== undefined);
  return { releases: await Promise.all(standing.map((whole) => release(whole, wanted.verbosity === "brief"))), total };
}

async function pageOfIds({ projectName, serviceName, page, per_page: size }: Wanted) {
  if (projectName !== "" && serviceName === "") {
    const { summaries, total } = await pageOfVersions(projectName, page, size);
    return { ids: summaries.map(({ versionId }) => versionId), total };
  }
  const all = await versionIds(projectName, serviceName);
  return { ids: all.slice((page - 1) * size, page * size), total: all.length };
}

async function release(whole: WholeVersion, isBrief: boolean): Promise<Release> {
  const answer = await versionAnswer(whole, { withManifests: !isBrief });
  const { version } = whole;
  const { services } = answer;
  const pieces = piecesOf(whole);
  const passed = pieces.filter(({ state }) => state.status === "passed");
  const isOver = !openStatuses.includes(version.status);
  return {
    ...answer,
    versionInfo: {
      ...{ id: answer.id, version: version.name, productName: version.projectKey },
      ...{ type: version.versionType, status: version.status },
      ...{ workflowName: "", workflowDisplayName: "", taskId: 0 },
      ...{ desc: version.description, labels: [...version.labels], createdBy: version.createdBy },
      productEnvInfo: version.source === "from_env" ? snapshotOf(whole) : null,
      progress: {
        ...{ successCount: passed.length, totalCount: pieces.filter(({ what }) => what.pushes).length },
        ...{ uploadStatus: "", workflowStatus: version.status, error: version.error },
      },
      ...{ created_at: version.createdAt, deleted_at: 0 },
    },
    buildInfo: [],
    deployInfo: pieces.map(({ of, what, state: { service, image } }) => ({
      ...{ id: idOf(`${version.versionId} ${service} ${image}`), releaseId: version.versionId },
      ...{ serviceName: `${of.name}/${what.container}`, real_service_name: of.name },
      ...{ service_module: what.container, containerName: what.container },
      ...{ image: what.targetImage, image_name: what.imageName, registry_id: version.registryId },
      yamlContents: isBrief ? [] : [services[service]?.yaml_content ?? ""],
      ...{ envs: [], orderedServices: [services.map(({ service_name }) => service_name)] },
      ...{ start_time: version.createdAt, end_time: isOver ? version.progressAt : 0 },
      ...{ created_at: version.createdAt, deleted_at: 0 },
    })),
    ...{ testInfo: [], distributeInfo: [], securityStatsInfo: [] },
  };
}

function snapshotOf({ version, services }: WholeVersion) {
  const group = services.map(({ name, images }) => ({
    service_name: name,
    containers: images.map(({ container, sourceImage }) => ({ name: container, image: sourceImage })),
  }));
  return {
    ...{ product_name: version.projectKey, env_name: version.envKey, production: version.production },
    services: [group],
  };
}

/** A record id that is the same at every reading. */
function idOf(place: string): string {
  return createHash("sha256").update(place).digest("hex").slice(0, 24);
}
