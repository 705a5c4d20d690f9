import * as z from "zod";
import { loginAnswer } from "../../../shared/http/loginAnswer.ts";
import { defineRoute } from "../../../shared/http/route.ts";

const tag = "Identity";
const text = z.string().optional();

export const ssoRoutes = {
  loginEnabled: defineRoute({
    method: "GET",
    path: "/api/v1/login-enabled",
    summary: "Tell whether users may sign in by an identity provider",
    tag,
    permission: { kind: "public" },
    response: z.object({ enabled: z.boolean() }),
  }),
  beginSignOn: defineRoute({
    method: "GET",
    path: "/api/v1/sso/login",
    summary: "Begin a sign-in by the identity provider: the answer tells where the browser goes",
    tag,
    permission: { kind: "public" },
    response: z.object({ authorization_url: z.string() }),
  }),
  finishSignOn: defineRoute({
    method: "GET",
    path: "/api/v1/sso/callback",
    summary: "Finish a sign-in in the browser that began it; the answer is that of a sign-in with a password",
    tag,
    permission: { kind: "public" },
    query: z.looseObject({ code: text, state: text, iss: text, error: text, error_description: text }),
    response: loginAnswer,
    secretAnswer: true,
    audit: { method: "Sign In", function: "User", detail: () => "", body: "none" },
  }),
};
