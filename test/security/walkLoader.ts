import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import type { Call } from "./walk.ts";

/** Services of a file in a repository, of either kind, at a code host that has this one file. */
export async function walkLoader(call: Call, project: string, yaml: string): Promise<void> {
  const archive = gzipSync(
    await packTar([{ header: { name: "shop-0123456/loaded.yaml", size: Buffer.byteLength(yaml) }, body: yaml }]),
  );
  const host = createServer((_request, response) => void response.end(archive)).listen(0, "127.0.0.1");
  await once(host, "listening");
  const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const code = { type: "gitea", address, alias: "loader", auth_type: "token", access_token: "t" };
  await call("POST /api/aslan/system/codehosts", { body: code });
  const query = { codehostName: "loader", repoName: "shop", repoOwner: "team", branchName: "main" };
  const body = { product_name: project, service_paths: [{ path: "loaded.yaml" }] };
  for (const production of ["false", "true"])
    await call("POST /openapi/service/loader/load", { query: { ...query, production }, body });
  host.closeAllConnections();
  host.close();
}
