import { startIdentityProvider } from "../harness/identityProvider.ts";
import type { Slipway } from "../harness/slipway.ts";
import type { Call } from "./walk.ts";

/** A sign-in by an identity provider, which is there for as long as this takes. */
export async function walkSignOn(slipway: Slipway, call: Call): Promise<void> {
  const provider = await startIdentityProvider();
  try {
    provider.claims.set("root", { preferred_username: "root", name: "root" });
    await call("GET /api/v1/login-enabled", { token: null });
    await call("GET /api/v1/sso/login", { token: null });
    const begun = await slipway.call<{ authorization_url: string }>("GET", "/api/v1/sso/login", { token: null });
    const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
    const search = await provider.signIn(begun.json.authorization_url, "root");
    const query = Object.fromEntries(new URLSearchParams(search));
    await call("GET /api/v1/sso/callback", { token: null, query, headers: { cookie } });
  } finally {
    await provider.close();
  }
}
