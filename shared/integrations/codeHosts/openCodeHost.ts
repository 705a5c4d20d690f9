import { unseal } from "../../aws/secrets/sealedSecret.ts";
import { type CodeHost, codeHosts } from "../store/codeHosts.ts";
import { findIntegrationSecret } from "../store/findIntegrationSecret.ts";

/** A code host by its name, with its access token; undefined where there is none. */
export async function openCodeHost(alias: string): Promise<{ host: CodeHost; token: string } | undefined> {
  const found = await codeHosts.findByName(alias);
  if (found === undefined) return undefined;
  const sealed = await findIntegrationSecret("code-host", found.id, "access_token");
  const place = { record: `code-host:${found.id}`, field: "access_token" };
  return { host: found.shown, token: sealed === undefined ? "" : await unseal(sealed, place) };
}
