import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { removeConfig } from "../../shared/base/settings/config.ts";

/** A real OpenID provider on loopback, with this installation as its one client. */
export interface IdentityProvider {
  issuer: string;
  /** Claims by the name that somebody signs in with; every name is let in, with any password. */
  claims: Map<string, Record<string, unknown>>;
  /** Walks through the provider's pages as a browser does. @returns the query it sends the browser back with */
  signIn(authorizationUrl: string, login: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a provider and lets the functions of this process know it. */
export async function startIdentityProvider(
  redirectUri = "https://slipway.example.com/api/v1/sso/callback",
): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = new Map<string, Record<string, unknown>>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: "slipway", client_secret: "secret-of-the-client", redirect_uris: [redirectUri] }],
    pkce: { required: () => true },
    scopes: ["openid", "profile", "email", "groups"],
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username"],
      email: ["email", "email_verified"],
      groups: ["groups", "teams"],
    },
    cookies: { keys: ["a-key-of-this-test"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id, ...claims.get(id) }) }),
  });
  server.on("request", provider.callback());
  configure({
    SLIPWAY_OIDC_ISSUER: issuer,
    SLIPWAY_OIDC_CLIENT_ID: "slipway",
    SLIPWAY_OIDC_CLIENT_SECRET: "secret-of-the-client",
    SLIPWAY_OIDC_REDIRECT_URI: redirectUri,
    SLIPWAY_OIDC_SCOPES: "openid profile email groups",
  });
  return {
    issuer,
    claims,
    signIn: (authorizationUrl, login) => walkThroughPages(authorizationUrl, login, redirectUri),
    close: async () => {
      configure(Object.fromEntries(settings.map((name) => [name, undefined])));
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const settings = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET", "REDIRECT_URI", "SCOPES"].map(
  (name) => `SLIPWAY_OIDC_${name}`,
);

function configure(values: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  removeConfig();
}

async function walkThroughPages(authorizationUrl: string, login: string, redirectUri: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: Record<string, string> | undefined;
  for (let step = 0; step < 12; step++) {
    if (url.startsWith(redirectUri)) return new URL(url).search;
    const answer = await fetch(url, {
      redirect: "manual",
      method: form === undefined ? "GET" : "POST",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const page = await answer.text();
    const location = answer.headers.get("location");
    form = undefined;
    if (location !== null) url = new URL(location, url).href;
    else {
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined)
        throw new Error(`the provider shows something else: ${answer.status} ${page.slice(0, 500)}`);
      url = new URL(action, url).href;
      form = page.includes('value="login"') ? { prompt: "login", login, password: "any" } : { prompt: "consent" };
    }
  }
  throw new Error("the provider does not send the browser back");
}
