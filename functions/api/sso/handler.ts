import { hasIdentityProvider } from "../../../shared/access/identity/signOn/hasIdentityProvider.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { userAgentIn } from "../../../shared/http/headersOf.ts";
import { signedIn } from "../../../shared/http/loginAnswer.ts";
import { ssoRoutes } from "./routes.ts";
import { finishSignOn, startSignOn } from "./signOn.ts";
import { cookieGone } from "./signOnCookie.ts";

export const handler = createApi(ssoRoutes, {
  loginEnabled: async () => ({ enabled: hasIdentityProvider() }),

  beginSignOn: async ({ setHeader }) => {
    const { url, cookie } = await startSignOn();
    setHeader("set-cookie", cookie);
    return { authorization_url: url };
  },

  finishSignOn: async ({ query, headers, sourceAddress, setHeader, actAs }) => {
    const redirectUri = config().SLIPWAY_OIDC_REDIRECT_URI;
    if (redirectUri !== undefined) setHeader("set-cookie", cookieGone(redirectUri));
    const { user, token } = await finishSignOn(query, headers.cookie, {
      address: sourceAddress,
      userAgent: userAgentIn(headers),
    });
    actAs(user);
    return signedIn(user, token);
  },
});
