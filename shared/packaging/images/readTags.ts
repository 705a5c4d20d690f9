import { readAll } from "./exchange.ts";
import { ImageProblem } from "./imageProblem.ts";
import { nextPage } from "./listReferrers.ts";
import type { BlobSource } from "./readBlob.ts";
import type { LineRequest } from "./registryLine.ts";
import { maxManifestBytes } from "./rules/manifest.ts";

interface Tags {
  tags: string[];
  /** Where the rest is named; undefined: these are all. */
  next: URL | undefined;
}

/** An answer without tags: 404 for a repository that was never written to. */
interface NoTags {
  status: number;
  problem: ImageProblem;
}

const maxPages = 100;

/** One page of the tags of a repository. @throws ImageProblem when no answer comes */
export async function readTags(
  { line, repository }: BlobSource,
  to: string | URL = "tags/list?n=1000",
): Promise<Tags | NoTags> {
  const request: LineRequest = { method: "GET", repository, to, about: "its tags" };
  const answer = await line.send(request);
  const { statusCode: status = 0 } = answer;
  if (status !== 200) return { status, problem: await line.explain(answer, request) };
  const bytes = await readAll(answer, maxManifestBytes);
  const tags = tagsIn(bytes?.toString("utf8") ?? "");
  if (tags !== undefined) return { tags, next: nextPage(answer, `${line.access.scheme}//${line.access.address}`) };
  const text = `${line.access.address}/${repository}: its list of tags cannot be read; ask the registry's operator`;
  return { status, problem: new ImageProblem(text, { retryable: false }) };
}

/** All tags of a repository, none for one that was never written to. @throws ImageProblem */
export async function listTags(source: BlobSource): Promise<string[]> {
  const found: string[] = [];
  let to: URL | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await readTags(source, to);
    if ("problem" in page) {
      if (page.status === 404) return found;
      throw page.problem;
    }
    found.push(...page.tags);
    if (page.next === undefined) return found;
    to = page.next;
  }
  const text = `${source.line.access.address}/${source.repository}: has more than ${maxPages} pages of tags`;
  throw new ImageProblem(`${text}; remove those that nobody needs`, { retryable: false });
}

function tagsIn(text: string): string[] | undefined {
  try {
    const { tags } = JSON.parse(text) as { tags?: unknown };
    // Programs in Go write an empty list as null.
    const list = tags ?? [];
    return Array.isArray(list) && list.every((tag) => typeof tag === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}
