import { deleteBlob, getBlob, requireDigest } from "./endpoints/blobs.ts";
import { deleteManifest, getManifest, putManifest } from "./endpoints/manifests.ts";
import { appendToUpload, beginUpload, cancelUpload, completeUpload, getUploadStatus } from "./endpoints/uploads.ts";
import { type Endpoint, type Exchange, send, sendJson } from "./exchange.ts";
import { isRepositoryName } from "./grammar.ts";
import { OCI_INDEX } from "./manifestDocument.ts";
import { RegistryError } from "./registryError.ts";

/** GET of the tags of a repository, in pages (`n`, `last`). */
const listTags: Endpoint = async (exchange, name) => {
  const tags = await exchange.store.manifests.tags(name);
  if (!tags) {
    throw new RegistryError("NAME_UNKNOWN", "repository name not known to registry", { details: [{ name }] });
  }
  const page = cut(exchange, tags);
  sendJson(exchange, page.headers, { name, tags: page.names });
};

/** GET of the names of the repositories, in pages (`n`, `last`). */
const listRepositories: Endpoint = async (exchange) => {
  const page = cut(exchange, await exchange.store.repositories());
  sendJson(exchange, page.headers, { repositories: page.names });
};

/** GET of the manifests whose subject is the given one, as an index; `artifactType` filters. */
const listReferrers: Endpoint = async (exchange, name, reference) => {
  const all = await exchange.store.manifests.referrers(name, requireDigest(reference));
  const wanted = exchange.query.get("artifactType");
  const manifests = wanted ? all.filter(({ artifactType }) => artifactType === wanted) : all;
  const headers = { "content-type": OCI_INDEX, ...(wanted ? { "oci-filters-applied": "artifactType" } : {}) };
  send(exchange, 200, headers, JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests }));
};

function cut({ query, path, limits }: Exchange, names: readonly string[]) {
  const { names: page, link } = pageOf(names, query, path, limits.pageEntries);
  return { names: page, headers: link === undefined ? {} : { link } };
}

/** GET of the version check: an empty object says that the API is spoken here. */
const getBase: Endpoint = async (exchange) => sendJson(exchange, {}, {});

/** A repository name has slashes itself, so a path is read from its end; the first pattern that fits counts. */
const ROUTES: { pattern: RegExp; methods: Record<string, Endpoint> }[] = [
  { pattern: /^\/v2\/?$/, methods: { GET: getBase, HEAD: getBase } },
  { pattern: /^\/v2\/_catalog$/, methods: { GET: listRepositories, HEAD: listRepositories } },
  { pattern: /^\/v2\/(?<name>.+)\/tags\/list$/, methods: { GET: listTags, HEAD: listTags } },
  { pattern: /^\/v2\/(?<name>.+)\/blobs\/uploads\/?$/, methods: { POST: beginUpload } },
  {
    pattern: /^\/v2\/(?<name>.+)\/blobs\/uploads\/(?<reference>[^/]+)$/,
    methods: { GET: getUploadStatus, PATCH: appendToUpload, PUT: completeUpload, DELETE: cancelUpload },
  },
  {
    pattern: /^\/v2\/(?<name>.+)\/blobs\/(?<reference>[^/]+)$/,
    methods: { GET: getBlob, HEAD: getBlob, DELETE: deleteBlob },
  },
  {
    pattern: /^\/v2\/(?<name>.+)\/manifests\/(?<reference>[^/]+)$/,
    methods: { GET: getManifest, HEAD: getManifest, PUT: putManifest, DELETE: deleteManifest },
  },
  {
    pattern: /^\/v2\/(?<name>.+)\/referrers\/(?<reference>[^/]+)$/,
    methods: { GET: listReferrers, HEAD: listReferrers },
  },
];

/** Finds the endpoint of the request and lets it answer. Fails with the RegistryError that is to be sent. */
export async function dispatch(exchange: Exchange): Promise<void> {
  const { path, request } = exchange;
  for (const { pattern, methods } of ROUTES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const endpoint = Object.hasOwn(methods, request.method ?? "") ? methods[request.method ?? ""] : undefined;
    if (!endpoint) throw methodNotAllowed(Object.keys(methods));
    const { name = "", reference = "" } = match.groups ?? {};
    if (match.groups && !isRepositoryName(name)) {
      throw new RegistryError("NAME_INVALID", "invalid repository name", { details: [{ name }] });
    }
    return endpoint(exchange, name, decode(reference));
  }
  throw new RegistryError("UNSUPPORTED", "no such path", { status: 404 });
}

function methodNotAllowed(methods: string[]): RegistryError {
  return new RegistryError("UNSUPPORTED", "method not allowed", {
    status: 405,
    headers: { allow: methods.join(", ") },
  });
}

/** Some clients write the colon of a digest as %3A. What cannot be decoded stays and is refused by its grammar. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Orders as the specification asks: alphanumeric without regard to case; equal ones by their characters. */
function compareNames(left: string, right: string): number {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  if (a !== b) return a < b ? -1 : 1;
  return left === right ? 0 : left < right ? -1 : 1;
}

/**
 * Cuts the page that `n` and `last` ask for out of the names, `limit` entries at most.
 * `link` is the `Link` header to the next page, absent on the last one. A bad `n` is UNSUPPORTED (400).
 */
export function pageOf(
  names: readonly string[],
  query: URLSearchParams,
  path: string,
  limit: number,
): { names: string[]; link?: string } {
  const asked = query.get("n");
  if (asked !== null && !/^[0-9]{1,9}$/.test(asked)) {
    throw new RegistryError("UNSUPPORTED", "n must be a whole number", { details: [{ n: asked }] });
  }
  const size = Math.min(asked === null ? limit : Number(asked), limit);
  const last = query.get("last");
  const after = names.toSorted(compareNames).filter((name) => last === null || compareNames(name, last) > 0);
  const page = after.slice(0, size);
  const end = page.at(-1);
  if (end === undefined || page.length === after.length) return { names: page };
  return { names: page, link: `<${path}?n=${size}&last=${encodeURIComponent(end)}>; rel="next"` };
}
