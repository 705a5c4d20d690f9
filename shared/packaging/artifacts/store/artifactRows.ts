import { artifactKeys } from "../../../base/store/keys/artifactKeys.ts";
import { padded } from "../../../base/store/keys/keys.ts";
import { create, type Write } from "../../../base/store/writes.ts";
import type { Artifact } from "../rules/artifact.ts";

/** What a search looks at of an artifact: small, so that many are read for little. */
export interface ArtifactFacts
  extends Pick<Artifact, "artifactId" | "type" | "name" | "image" | "imageTag" | "source"> {
  commits: { repository: string; branch: string; commit: string }[];
}

/** Its place in lists: in the order of time. */
export function placeOf({ createdTime, artifactId }: Pick<Artifact, "createdTime" | "artifactId">): string {
  return `${padded(createdTime)}#${artifactId}`;
}

export function factsOf(artifact: Artifact): ArtifactFacts {
  const { artifactId, type, name, image, imageTag, source, activities } = artifact;
  const built = activities.filter((one) => one.type === "build").flatMap(({ commits }) => commits);
  const commits = built.map(({ repoName, branch, commitId }) => ({ repository: repoName, branch, commit: commitId }));
  return { artifactId, type, name, image, imageTag, source, commits };
}

/** Characters of a commit that artifacts are found by; git shows no fewer. */
export const commitCharacters = 7;

/** A row for everything that an artifact is searched by. */
export function searchRows(artifact: Artifact): Write[] {
  const facts = factsOf(artifact);
  const { commits } = facts;
  const place = placeOf(artifact);
  const row = (facet: Parameters<typeof artifactKeys.artifactBy>[0], values: readonly string[]) =>
    [...new Set(values)]
      .filter((value) => value !== "")
      .map((value) => create({ ...artifactKeys.artifactBy(facet, value, place), type: "artifact-row", facts }));
  return [
    ...row("tag", [artifact.imageTag]),
    ...row(
      "repository",
      commits.map(({ repository }) => repository),
    ),
    ...row(
      "branch",
      commits.map(({ branch }) => branch),
    ),
    ...row(
      "commit",
      commits.map(({ commit }) => commit.slice(0, commitCharacters)),
    ),
  ].slice(0, maxRows);
}

/** A transaction's hundred writes, with the record's own: a build of 50 repositories is found by the first ones. */
const maxRows = 90;
