import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { type CodeHost, codeHosts } from "../store/codeHosts.ts";
import { findIntegrationSecret } from "../store/findIntegrationSecret.ts";

interface OpenCodeHost {
  host: CodeHost;
  token: string;
}

/** A code host by its name, with its access token; undefined where there is none. */
export async function openCodeHost(alias: string): Promise<OpenCodeHost | undefined> {
  return opened(await codeHosts.findByName(alias));
}

/** The same by its number. */
export async function openCodeHostOf(id: string): Promise<OpenCodeHost | undefined> {
  return opened(await codeHosts.find(id));
}

async function opened(found: { id: string; shown: CodeHost } | undefined): Promise<OpenCodeHost | undefined> {
  if (found === undefined) return undefined;
  const sealed = await findIntegrationSecret("code-host", found.id, "access_token");
  const place = { record: `code-host:${found.id}`, field: "access_token" };
  return { host: found.shown, token: sealed === undefined ? "" : await unseal(sealed, place) };
}
