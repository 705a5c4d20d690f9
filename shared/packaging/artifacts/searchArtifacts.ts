import type { Item } from "../../base/store/tableClient.ts";
import type { ArtifactFacts } from "./store/artifactRows.ts";
import { type ArtifactRecord, countArtifacts, findArtifacts, newestBy, newestListed } from "./store/artifacts.ts";

/** What a search asks for; empty texts ask for nothing (contract D 3.3). */
export interface ArtifactSearch {
  type: string;
  source: string;
  /** Part of the name, and of the reference. */
  name: string;
  image: string;
  imageTag: string;
  repoName: string;
  branch: string;
  /** The whole commit or its beginning, from seven characters on. */
  commit: string;
  page: number;
  perPage: number;
}

export interface ArtifactPage {
  artifacts: Item<ArtifactRecord>[];
  total: number;
}

/** Artifacts that a search looks at, from the newest back: what it costs does not grow with how many there are. */
const maxSearched = 1000;

/** A page of artifacts, newest first; of a search those among the newest thousand that come into question. */
export async function searchArtifacts(search: ArtifactSearch): Promise<ArtifactPage> {
  const { page, perPage } = search;
  const from = (page - 1) * perPage;
  const { type, source, name, image, imageTag, repoName, branch, commit } = search;
  const isPlain = [type, source, name, image, imageTag, repoName, branch, commit].every((text) => text === "");
  if (isPlain) return plainPage(from, perPage);
  const found = (await candidates(search)).filter((facts) => fits(facts, search));
  const ids = found.slice(from, from + perPage).map(({ artifactId }) => artifactId);
  return { artifacts: await findArtifacts(ids), total: found.length };
}

async function plainPage(from: number, perPage: number): Promise<ArtifactPage> {
  const isFirst = from === 0;
  const total = isFirst ? undefined : await countArtifacts();
  if (total !== undefined && from >= total) return { artifacts: [], total };
  const [counted, listed] = await Promise.all([total ?? countArtifacts(), newestListed(from + perPage)]);
  const ids = listed.slice(from).map(({ artifactId }) => artifactId);
  return { artifacts: await findArtifacts(ids), total: counted };
}

/** By what tells most artifacts apart. */
function candidates({ commit, imageTag, branch, repoName }: ArtifactSearch): Promise<ArtifactFacts[]> {
  if (commit !== "") return newestBy("commit", commit, maxSearched);
  if (imageTag !== "") return newestBy("tag", imageTag, maxSearched);
  if (branch !== "") return newestBy("branch", branch, maxSearched);
  if (repoName !== "") return newestBy("repository", repoName, maxSearched);
  return newestListed(maxSearched);
}

function fits(facts: ArtifactFacts, search: ArtifactSearch): boolean {
  const { type, source, name, image, imageTag, repoName, branch, commit } = search;
  return (
    isOr(type, facts.type) &&
    isOr(source, facts.source) &&
    isOr(imageTag, facts.imageTag) &&
    facts.name.includes(name) &&
    facts.image.includes(image) &&
    ((repoName === "" && branch === "" && commit === "") ||
      facts.commits.some(
        (one) => isOr(repoName, one.repository) && isOr(branch, one.branch) && one.commit.startsWith(commit),
      ))
  );
}

function isOr(wanted: string, value: string): boolean {
  return wanted === "" || wanted === value;
}
