import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Registry, startRegistry } from "../../../../infra/local/registry/start.ts";
import {
  beginUpload,
  client,
  codesOf,
  digestOf,
  MANIFEST,
  makeManifest,
  pushBlob,
  pushImage,
  type Send,
} from "./registryHarness.ts";

type Row = {
  /** The endpoint's number in the table of the distribution specification 1.1. */
  end: string;
  method: string;
  /** May name an upload that the row begins first. */
  path: string | ((at: Send) => Promise<string>);
  body?: string;
  headers?: Record<string, string>;
  status: number;
  code?: string;
  /** Headers that must be there, with this value when it is not empty. */
  answers?: Record<string, string>;
};

const layer = digestOf("layer");
const unknown = digestOf("nobody has this");
const uploadOf = (suffix: string) => async (at: Send) => (await beginUpload(at, "app")) + suffix;
const noUpload = "/v2/app/blobs/uploads/5a5ad4f0-5a5a-4f5a-8f5a-5a5a5a5a5a5a";
let dataDir: string;
let registry: Registry;
let at: Send;
let manifest: string;
let image: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "slipway-registry-"));
  registry = await startRegistry({ dataDir });
  at = client(registry.address);
  image = await pushImage(at, "app", "v1");
  await pushImage(at, "app", "v2");
  manifest = await makeManifest(at, "app", { annotations: { pushed: "by the table" } });
});

afterAll(async () => {
  await registry.close();
  await rm(dataDir, { recursive: true, force: true });
});

const upload = { location: "", range: "0-0" };
const rows: Row[] = [
  { end: "1", method: "GET", path: "/v2/", status: 200 },
  { end: "2", method: "GET", path: `/v2/app/blobs/${layer}`, status: 200, answers: { "docker-content-digest": layer } },
  { end: "2", method: "HEAD", path: `/v2/app/blobs/${layer}`, status: 200, answers: { "content-length": "5" } },
  { end: "2", method: "GET", path: `/v2/app/blobs/${unknown}`, status: 404, code: "BLOB_UNKNOWN" },
  { end: "2", method: "HEAD", path: `/v2/app/blobs/${unknown}`, status: 404 },
  { end: "3", method: "GET", path: "/v2/app/manifests/v1", status: 200, answers: { "content-type": MANIFEST } },
  { end: "3", method: "HEAD", path: "/v2/app/manifests/v1", status: 200, answers: { "docker-content-digest": "" } },
  { end: "3", method: "GET", path: "/v2/app/manifests/.INVALID", status: 404, code: "MANIFEST_UNKNOWN" },
  { end: "3", method: "GET", path: `/v2/app/manifests/${unknown}`, status: 404, code: "MANIFEST_UNKNOWN" },
  { end: "3", method: "GET", path: "/v2/nobody/manifests/v1", status: 404, code: "MANIFEST_UNKNOWN" },
  { end: "4a", method: "POST", path: "/v2/app/blobs/uploads/", status: 202, answers: upload },
  {
    end: "4b",
    method: "POST",
    path: `/v2/app/blobs/uploads/?digest=${digestOf("whole")}`,
    body: "whole",
    status: 201,
    answers: { location: `/v2/app/blobs/${digestOf("whole")}` },
  },
  {
    end: "4b",
    method: "POST",
    path: `/v2/app/blobs/uploads/?digest=${unknown}`,
    body: "x",
    status: 400,
    code: "DIGEST_INVALID",
  },
  { end: "5", method: "PATCH", path: uploadOf(""), body: "abc", status: 202, answers: { location: "", range: "0-2" } },
  {
    end: "5",
    method: "PATCH",
    path: uploadOf(""),
    headers: { "content-range": "5-7" },
    body: "abc",
    status: 416,
    code: "BLOB_UPLOAD_INVALID",
    answers: upload,
  },
  { end: "5", method: "PATCH", path: noUpload, body: "abc", status: 404, code: "BLOB_UPLOAD_UNKNOWN" },
  {
    end: "6",
    method: "PUT",
    path: uploadOf(`?digest=${digestOf("put")}`),
    body: "put",
    status: 201,
    answers: { location: `/v2/app/blobs/${digestOf("put")}` },
  },
  { end: "6", method: "PUT", path: uploadOf(`?digest=${unknown}`), body: "x", status: 400, code: "DIGEST_INVALID" },
  { end: "6", method: "PUT", path: `${noUpload}?digest=${unknown}`, status: 404, code: "BLOB_UPLOAD_UNKNOWN" },
  { end: "8a", method: "GET", path: "/v2/app/tags/list", status: 200, answers: { "content-type": "application/json" } },
  { end: "8a", method: "GET", path: "/v2/nobody/tags/list", status: 404, code: "NAME_UNKNOWN" },
  { end: "8b", method: "GET", path: "/v2/app/tags/list?n=1", status: 200, answers: { link: "" } },
  { end: "8b", method: "GET", path: "/v2/app/tags/list?n=1&last=v1", status: 200 },
  { end: "9", method: "DELETE", path: "/v2/app/manifests/nobody", status: 404, code: "MANIFEST_UNKNOWN" },
  { end: "9", method: "DELETE", path: `/v2/app/manifests/${unknown}`, status: 404, code: "MANIFEST_UNKNOWN" },
  { end: "9", method: "DELETE", path: "/v2/app/manifests/v2", status: 202 },
  { end: "10", method: "DELETE", path: `/v2/app/blobs/${unknown}`, status: 404, code: "BLOB_UNKNOWN" },
  {
    end: "11",
    method: "POST",
    path: `/v2/other/blobs/uploads/?mount=${layer}&from=app`,
    status: 201,
    answers: { location: `/v2/other/blobs/${layer}` },
  },
  {
    end: "11",
    method: "POST",
    path: `/v2/other/blobs/uploads/?mount=${unknown}&from=app`,
    status: 202,
    answers: upload,
  },
  { end: "12a", method: "GET", path: `/v2/app/referrers/${unknown}`, status: 200 },
  { end: "12a", method: "GET", path: "/v2/app/referrers/sha256:x", status: 400, code: "DIGEST_INVALID" },
  {
    end: "12b",
    method: "GET",
    path: `/v2/app/referrers/${unknown}?artifactType=a/b`,
    status: 200,
    answers: { "oci-filters-applied": "artifactType" },
  },
  { end: "13", method: "GET", path: uploadOf(""), status: 204, answers: upload },
  { end: "13", method: "GET", path: noUpload, status: 404, code: "BLOB_UPLOAD_UNKNOWN" },
];

describe("the endpoints of the distribution specification 1.1", () => {
  test.each(rows.map((row) => ({ ...row, name: typeof row.path === "string" ? row.path : "<upload>" })))(
    "end-$end $method $name answers $status",
    async ({ method, path, body, headers, status, code, answers = {} }) => {
      const url = typeof path === "string" ? path : await path(at);
      const response = await at(method, url, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) });
      expect(response.status).toBe(status);
      if (code) expect(await codesOf(response)).toEqual([code]);
      for (const [header, value] of Object.entries(answers)) {
        if (value === "") expect(response.headers.get(header)).toBeTruthy();
        else expect(response.headers.get(header)).toBe(value);
      }
    },
  );

  test("end-7, end-9, end-10: what is put can be got where the answer says, and after its deletion no more", async () => {
    const headers = { "content-type": MANIFEST };
    const put = await at("PUT", "/v2/app/manifests/put", { body: manifest, headers });
    const location = put.headers.get("location") ?? "";
    expect([put.status, location]).toEqual([201, `/v2/app/manifests/${digestOf(manifest)}`]);
    expect(await (await at("GET", location)).text()).toBe(manifest);
    expect((await at("DELETE", location)).status).toBe(202);
    for (const gone of [location, "/v2/app/manifests/put"]) expect((await at("GET", gone)).status).toBe(404);
    const { digest } = await pushBlob(at, "app", "to delete");
    expect((await at("DELETE", `/v2/app/blobs/${digest}`)).status).toBe(202);
    expect((await at("GET", `/v2/app/blobs/${digest}`)).status).toBe(404);
    expect((await at("GET", `/v2/app/manifests/${image}`)).status).toBe(200);
  });
});
