import * as z from "zod";
import { loginAnswer } from "../../../shared/http/loginAnswer.ts";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message } from "../../../shared/http/schemas.ts";
import { account, mfaCode, password, userParams } from "./schemas.ts";

const tag = "Identity";
const namedAccount = ({ body }: RawRequest): string => String(body.account ?? body.username ?? "");

const logoutDeclaration = {
  path: "/api/v1/logout",
  summary: "Sign out: the login token stops working, other sessions go on; an API token ends none",
  tag,
  permission: { kind: "authenticated" },
  enrols: true,
  response: z.object({ enable_redirect: z.boolean(), redirect_url: z.string() }),
  audit: { method: "Sign Out", function: "User", detail: () => "", body: "none" },
} as const;

const sessionsPath = "/openapi/users/:uid(uuid)/sessions";
const session = z
  .object({
    id: z.string(),
    created_at: z.int(),
    last_used_at: z.int().meta({ description: "Unix seconds, told at most an hour late" }),
    address: z.string().meta({ description: "Where the sign-in came from" }),
    user_agent: z.string().meta({ description: "`User-Agent` of the sign-in, its first 200 characters" }),
    current: z.boolean().meta({ description: "Whether this request was made in it" }),
  })
  .meta({ id: "Session" });

export const sessionRoutes = {
  initializationStatus: defineRoute({
    method: "GET",
    path: "/api/aslan/system/initialization/status",
    summary: "Tell whether the first user has been created",
    tag,
    permission: { kind: "public" },
    response: z.object({ initialized: z.boolean() }),
  }),
  initializeUser: defineRoute({
    method: "POST",
    path: "/api/aslan/system/initialization/user",
    summary: "Create the first user with the bootstrap secret in the header X-Bootstrap-Secret",
    tag,
    permission: { kind: "public" },
    body: z.object({
      username: account,
      password,
      company: filled("company"),
      email: filled("email", 100),
      phone: z.int().optional(),
      improvement_plan: z.boolean().optional(),
    }),
    response: message,
    errorStatuses: [429],
    audit: { method: "Initialize", function: "System", detail: namedAccount, body: "json" },
  }),
  getLoginKey: defineRoute({
    method: "GET",
    path: "/api/aslan/system/rsaKey/publicKey",
    summary: "Read the public key that the password of a sign-in may be encrypted with",
    tag,
    permission: { kind: "public" },
    response: z.object({ publicKey: z.string().meta({ description: "RSA, 2048 bits, in PEM" }) }),
  }),
  login: defineRoute({
    method: "POST",
    path: "/api/v1/login",
    summary:
      "Sign in with account and password, and the code of a second factor; the answer's token lives as long as the security settings say",
    tag,
    permission: { kind: "public" },
    body: z.object({
      account,
      password,
      mfa_code: mfaCode,
      captcha_id: z.string().optional(),
      captcha_answer: z.string().optional(),
      encrypted_key: z.string().max(1024, "must have at most 1024 characters").default("").meta({
        description:
          "A random AES key of 16, 24 or 32 characters, encrypted by `GET /api/aslan/system/rsaKey/publicKey` (PKCS #1 v1.5) in base64. Where it is given, `password` is encrypted under that key: hex digits of an IV of 16 bytes and of the text by AES-CFB",
      }),
    }),
    response: loginAnswer,
    secretAnswer: true,
    errorStatuses: [429],
    audit: { method: "Sign In", function: "User", detail: namedAccount, body: "json" },
  }),
  listSessions: defineRoute({
    method: "GET",
    path: sessionsPath,
    summary: "List the sessions of a user that have not ended, newest first",
    tag,
    permission: { kind: "selfOrAdmin" },
    params: userParams,
    response: z.array(session),
  }),
  endSession: defineRoute({
    method: "DELETE",
    path: `${sessionsPath}/:sessionId(hex)`,
    summary: "End a session of a user at once",
    tag,
    permission: { kind: "selfOrAdmin" },
    params: z.object({ uid: z.string(), sessionId: z.string() }),
    response: message,
    audit: {
      method: "Sign Out",
      function: "User",
      detail: ({ params }) => `${params.uid}:${params.sessionId}`,
      body: "none",
    },
  }),
  logout: defineRoute({ ...logoutDeclaration, method: "GET" }),
  logoutByPost: defineRoute({ ...logoutDeclaration, method: "POST" }),
};
