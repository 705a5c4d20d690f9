import type { IncomingMessage } from "node:http";
import { readAll } from "./exchange.ts";
import { ImageProblem } from "./imageProblem.ts";
import type { BlobSource } from "./readBlob.ts";
import { findManifest } from "./readManifest.ts";
import type { LineRequest } from "./registryLine.ts";
import { type Descriptor, type Manifest, maxManifestBytes, ociIndex, readManifest } from "./rules/manifest.ts";
import { inSlot } from "./slots.ts";

const maxPages = 20;

/** What refers to a manifest, by the registry's own interface, or else under the fallback tag. @throws ImageProblem */
export async function listReferrers(source: BlobSource, subject: string): Promise<Descriptor[]> {
  const listed = await inSlot(source.line, () => askReferrers(source, subject, false));
  return listed ?? entriesUnder(source, fallbackTag(subject));
}

/** Where what refers to a manifest is named in a registry without an interface for it; also what cosign's tags begin with. */
export const fallbackTag = (digest: string): string => digest.replace(":", "-");

/** What the index under a fallback tag names. */
export async function entriesUnder(source: BlobSource, tag: string): Promise<Descriptor[]> {
  const found: Manifest | undefined = await inSlot(source.line, () => findManifest({ ...source, reference: tag }));
  return found?.children ?? [];
}

/**
 * What refers to a manifest, by the registry's own interface.
 * @returns undefined when the registry has none
 * @throws ImageProblem
 */
export async function askReferrers(
  source: BlobSource,
  subject: string,
  writes: boolean,
): Promise<Descriptor[] | undefined> {
  const { line, repository } = source;
  const found: Descriptor[] = [];
  let to: string | URL = `referrers/${subject}`;
  for (let page = 0; page < maxPages; page++) {
    const request: LineRequest = { method: "GET", repository, to, writes, about: subject };
    const answer = await line.send(request);
    const isIndex = answer.statusCode === 200 && (answer.headers["content-type"] ?? "").startsWith(ociIndex);
    if (!isIndex) {
      answer.resume();
      return undefined;
    }
    const bytes = await readAll(answer, maxManifestBytes);
    const index = bytes && readManifest(bytes, ociIndex, "");
    if (index === undefined || typeof index === "string") {
      const text = `${line.access.address}/${repository} (${subject}): its list of referrers cannot be read`;
      throw new ImageProblem(`${text}; ask the registry's operator`, { retryable: false });
    }
    found.push(...(index.children ?? []));
    const next = nextPage(answer, `${line.access.scheme}//${line.access.address}`);
    if (next === undefined) return found;
    to = next;
  }
  return found;
}

/** The page that a `Link` header names, when it is on the same host. */
export function nextPage({ headers }: IncomingMessage, base: string): URL | undefined {
  const link = /<([^>]+)>\s*;\s*rel="?next"?/.exec(String(headers.link ?? ""))?.[1];
  const url = link === undefined ? null : URL.parse(link, `${base}/v2/`);
  return url !== null && url.host === new URL(base).host ? url : undefined;
}
