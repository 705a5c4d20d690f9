import { expect, test } from "vitest";
import {
  codesOf,
  digestOf,
  INDEX,
  MANIFEST,
  pushBlob,
  pushImage,
  putManifest,
  registryForTest,
  type Send,
} from "./registryHarness.ts";

/** Follows the Link headers to the end. */
async function allPages(at: Send, path: string, key: "tags" | "repositories"): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await at("GET", next);
    const body = (await response.json()) as Record<string, string[]>;
    pages.push(body[key] ?? []);
    next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}

test("tags come in alphanumeric order without regard to case, in pages that the Link headers join", async () => {
  const { at } = await registryForTest();
  for (const tag of ["b", "A", "c", "a", "B2", "_x", "1.0"]) await pushImage(at, "team/app", tag);
  const sorted = ["1.0", "_x", "A", "a", "b", "B2", "c"];
  expect(await allPages(at, "/v2/team/app/tags/list", "tags")).toEqual([sorted]);
  expect(await allPages(at, "/v2/team/app/tags/list?n=3", "tags")).toEqual([
    ["1.0", "_x", "A"],
    ["a", "b", "B2"],
    ["c"],
  ]);
  expect(await allPages(at, "/v2/team/app/tags/list?n=7", "tags")).toEqual([sorted]);
  expect(await allPages(at, "/v2/team/app/tags/list?last=az", "tags")).toEqual([["b", "B2", "c"]]);
  expect(await allPages(at, "/v2/team/app/tags/list?n=0", "tags")).toEqual([[]]);
});

test.each(["-1", "x", "1.5", "99999999999"])("n=%s is refused", async (n) => {
  const { at } = await registryForTest();
  await pushImage(at, "app", "latest");
  const response = await at("GET", `/v2/app/tags/list?n=${n}`);
  expect([response.status, await codesOf(response)]).toEqual([400, ["UNSUPPORTED"]]);
});

test("the tags of a repository to which no manifest was pushed are NAME_UNKNOWN, of an emptied one none", async () => {
  const { at } = await registryForTest();
  await pushBlob(at, "app", "only a blob");
  const unknown = await at("GET", "/v2/app/tags/list");
  expect([unknown.status, await codesOf(unknown)]).toEqual([404, ["NAME_UNKNOWN"]]);
  const digest = await pushImage(at, "app", "latest");
  await at("DELETE", `/v2/app/manifests/${digest}`);
  expect(await (await at("GET", "/v2/app/tags/list")).json()).toEqual({ name: "app", tags: [] });
});

test("the catalog lists repositories at every depth, in pages", async () => {
  const { at } = await registryForTest();
  for (const name of ["b", "a/b/c", "a", "a-b", "blobs/uploads", "x/manifests/y"]) await pushImage(at, name, "v1");
  await pushBlob(at, "unfinished", "x");
  expect(await allPages(at, "/v2/_catalog?n=4", "repositories")).toEqual([
    ["a", "a-b", "a/b/c", "b"],
    ["blobs/uploads", "x/manifests/y"],
  ]);
});

test("referrers of a manifest are listed with type and annotations, filtered on request, gone when deleted", async () => {
  const { at } = await registryForTest();
  const subject = { mediaType: MANIFEST, digest: digestOf("not pushed yet"), size: 7 };
  const path = `/v2/app/referrers/${subject.digest}`;
  const list = async (query = "") => {
    const response = await at("GET", path + query);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, INDEX]);
    return {
      filters: response.headers.get("oci-filters-applied"),
      body: (await response.json()) as { manifests: { digest: string }[] },
    };
  };
  expect(await list()).toEqual({ filters: null, body: { schemaVersion: 2, mediaType: INDEX, manifests: [] } });

  const annotations = { "org.example.tool": "scanner" };
  const sbom = await pushImage(at, "app", "sbom", { subject, artifactType: "application/sbom", annotations });
  const plain = await pushImage(at, "app", "plain", { subject });
  const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [], subject });
  const put = await putManifest(at, "app", "index", index, INDEX);
  expect(put.headers.get("oci-subject")).toBe(subject.digest);

  const { body } = await list();
  expect(body.manifests).toHaveLength(3);
  expect(body.manifests).toContainEqual({
    mediaType: MANIFEST,
    digest: sbom,
    size: expect.any(Number),
    artifactType: "application/sbom",
    annotations,
  });
  expect(body.manifests).toContainEqual(
    expect.objectContaining({ digest: plain, artifactType: "application/vnd.oci.image.config.v1+json" }),
  );
  expect(body.manifests).toContainEqual({ mediaType: INDEX, digest: digestOf(index), size: index.length });

  const filtered = await list("?artifactType=application/sbom");
  expect(filtered.filters).toBe("artifactType");
  expect(filtered.body.manifests.map((each) => each.digest)).toEqual([sbom]);

  await at("DELETE", `/v2/app/manifests/${sbom}`);
  expect((await list("?artifactType=application/sbom")).body.manifests).toEqual([]);
  const invalid = await at("GET", "/v2/app/referrers/sha256:12");
  expect([invalid.status, await codesOf(invalid)]).toEqual([400, ["DIGEST_INVALID"]]);
});
