import { mustBeOneOf, mustHaveVersion } from "../../../base/store/conditions.ts";
import { count } from "../../../base/store/counters.ts";
import { artifactKeys, artifactsBy } from "../../../base/store/keys/artifactKeys.ts";
import { dues, keys, lists, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { create, update } from "../../../base/store/writes.ts";
import { type Activity, type Artifact, type ImageFacts, withActivity } from "../rules/artifact.ts";
import { type ArtifactFacts, commitCharacters, factsOf, placeOf, searchRows } from "./artifactRows.ts";

/** As it is stored: an image that its registry has not described yet is in no list. */
export interface ArtifactRecord extends Artifact {
  /** The registry that the image was pushed to. */
  registryId: string;
  /** How often its registry was asked. */
  asked: number;
  duePk?: string;
  listPk?: string;
}

/** The counter of artifacts that are listed. */
const artifactsCounter = "artifacts";

/** Minutes, one question in each, until an image that is not in its registry is left as it is: hidden from lists. */
const maxAsked = 30;

/** Makes the record of what a job made; one that is there stays. A file is listed at once, an image when it was described. */
export async function createArtifact(artifact: Artifact, registryId: string): Promise<void> {
  const { artifactId, image, createdTime, type } = artifact;
  const record: ArtifactRecord = { ...artifact, registryId, asked: 0 };
  const isFile = type === "file";
  const item = {
    ...artifactKeys.artifact(artifactId),
    ...record,
    type: "artifact",
    artifactType: type,
    ...(isFile
      ? { listPk: lists.artifacts, listSk: placeOf(record), summary: factsOf(record) }
      : { duePk: dues.artifacts, dueSk: `${padded(createdTime)}#${artifactId}` }),
  };
  await tryWrite(
    table().write(
      create(item),
      create({ ...artifactKeys.imageOfArtifact(image, createdTime, artifactId), type: "image-use", artifactId }),
      ...(isFile ? [count(artifactsCounter, 1), ...searchRows(record)] : []),
    ),
  );
}

/** Notes what the registry says of an image: from here on it is listed and found by its digest. May be repeated. */
export async function describeArtifact(artifact: Item<ArtifactRecord>, facts: ImageFacts): Promise<void> {
  const { artifactId, createdTime } = artifact;
  const described = { ...artifact, ...facts };
  const set = { ...facts, listPk: lists.artifacts, listSk: placeOf(artifact), summary: factsOf(described) };
  await tryWrite(
    table().write(
      update(
        artifactKeys.artifact(artifactId),
        { set, unset: ["duePk", "dueSk"] },
        mustBeOneOf("duePk", [dues.artifacts]),
      ),
      create({
        ...artifactKeys.imageOfArtifact(facts.imageDigest, createdTime, artifactId),
        type: "image-use",
        artifactId,
      }),
      count(artifactsCounter, 1),
      ...searchRows(described),
    ),
  );
}

/** Counts a question that the registry did not answer; after the last one it is not asked again. */
export async function countAsked({ artifactId, asked }: ArtifactRecord): Promise<void> {
  const isLast = asked + 1 >= maxAsked;
  const changes = { set: { asked: asked + 1 }, ...(isLast && { unset: ["duePk", "dueSk"] }) };
  await tryWrite(table().write(update(artifactKeys.artifact(artifactId), changes, mustBeOneOf("asked", [asked]))));
}

/** Artifacts whose registry is still to be asked, oldest first. */
export async function dueArtifacts(): Promise<string[]> {
  const items = await table().query<object>({ index: "due", pk: dues.artifacts });
  return items.map(({ pk }) => pk.slice("artifact#".length));
}

export async function findArtifact(
  artifactId: string,
  options: { consistent?: boolean } = {},
): Promise<Item<ArtifactRecord> | undefined> {
  const found = await table().get<Stored>(artifactKeys.artifact(artifactId), options);
  return found && recordOf(found);
}

/** Those that are there, in the order that was asked for. */
export async function findArtifacts(artifactIds: readonly string[]): Promise<Item<ArtifactRecord>[]> {
  const found = await table().getMany<Stored>(artifactIds.map(artifactKeys.artifact), { consistent: false });
  const byId = new Map(found.map((item) => [item.artifactId, recordOf(item)]));
  return artifactIds.map((id) => byId.get(id)).filter((one) => one !== undefined);
}

/** How many artifacts are listed, as it was a moment ago. */
export async function countArtifacts(): Promise<number> {
  return (await table().get<{ value: number }>(keys.counter(artifactsCounter), { consistent: false }))?.value ?? 0;
}

/** The newest artifacts of the list. */
export async function newestListed(limit: number): Promise<ArtifactFacts[]> {
  const options = { index: "list", pk: lists.artifacts, descending: true, limit } as const;
  return (await table().query<{ summary: ArtifactFacts }>(options)).map(({ summary }) => summary);
}

/** The newest artifacts that share a tag, a branch, a repository or the beginning of a commit. */
export async function newestBy(
  facet: Parameters<typeof artifactsBy>[0],
  value: string,
  limit: number,
): Promise<ArtifactFacts[]> {
  const pk = artifactsBy(facet, facet === "commit" ? value.slice(0, commitCharacters) : value);
  const items = await table().query<{ facts: ArtifactFacts }>({ pk, descending: true, limit, consistent: false });
  return items.map(({ facts }) => facts);
}

/** The artifact that was made last under a reference or with a digest. */
export async function newestArtifactId(image: string): Promise<string | undefined> {
  const { pk } = artifactKeys.imageOfArtifact(image, 0, "");
  const [row] = await table().query<{ artifactId: string }>({ pk, prefix: "artifact#", descending: true, limit: 1 });
  return row?.artifactId;
}

/** Adds what happened to an artifact, once whatever repeats it. @returns false when there is no such artifact */
export async function addActivity(artifactId: string, activity: Activity): Promise<boolean> {
  for (;;) {
    const item = await table().get<Stored>(artifactKeys.artifact(artifactId));
    if (item === undefined) return false;
    const activities = withActivity(item.activities, activity);
    if (activities === item.activities) return true;
    const written = update(artifactKeys.artifact(artifactId), { set: { activities } }, mustHaveVersion(item.version));
    if (await tryWrite(table().write(written))) return true;
  }
}

type Stored = ArtifactRecord & { artifactType: Artifact["type"] };

/** `type` of an item says what kind of record it is; that of the artifact is stored beside it. */
function recordOf({ artifactType, ...item }: Item<Stored>): Item<ArtifactRecord> {
  return { ...item, type: artifactType };
}
