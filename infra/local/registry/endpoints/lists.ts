import { type Endpoint, type Exchange, send, sendJson } from "../exchange.ts";
import { OCI_INDEX } from "../manifestDocument.ts";
import { pageOf } from "../page.ts";
import { RegistryError } from "../registryError.ts";
import { requireDigest } from "./blobs.ts";

/** GET of the tags of a repository, in pages (`n`, `last`). */
export const listTags: Endpoint = async (exchange, name) => {
  const tags = await exchange.store.manifests.tags(name);
  if (!tags) {
    throw new RegistryError("NAME_UNKNOWN", "repository name not known to registry", { details: [{ name }] });
  }
  const page = cut(exchange, tags);
  sendJson(exchange, page.headers, { name, tags: page.names });
};

/** GET of the names of the repositories, in pages (`n`, `last`). */
export const listRepositories: Endpoint = async (exchange) => {
  const page = cut(exchange, await exchange.store.repositories());
  sendJson(exchange, page.headers, { repositories: page.names });
};

/** GET of the manifests whose subject is the given one, as an index; `artifactType` filters. */
export const listReferrers: Endpoint = async (exchange, name, reference) => {
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
