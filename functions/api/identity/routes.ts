import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message } from "../../../shared/http/schemas.ts";
import { account, createdUser, loginAnswer, password, userInfo, userParams } from "./schemas.ts";

const tag = "Identity";
const namedAccount = ({ body }: RawRequest): string => String(body.account ?? body.username ?? "");

const logoutDeclaration = {
  path: "/api/v1/logout",
  summary: "Sign out: the login token stops working",
  tag,
  permission: { kind: "authenticated" },
  response: z.object({ enable_redirect: z.boolean(), redirect_url: z.string() }),
  audit: { method: "Sign Out", function: "User", detail: () => "", body: "none" },
} as const;

export const identityRoutes = {
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
    audit: { method: "Initialize", function: "System", detail: namedAccount, body: "json" },
  }),
  login: defineRoute({
    method: "POST",
    path: "/api/v1/login",
    summary: "Sign in with account and password; the answer's token lives 24 hours",
    tag,
    permission: { kind: "public" },
    body: z.object({
      account,
      password,
      captcha_id: z.string().optional(),
      captcha_answer: z.string().optional(),
      encrypted_key: z.string().optional(),
    }),
    response: loginAnswer,
    secretAnswer: true,
    errorStatuses: [429],
    audit: { method: "Sign In", function: "User", detail: namedAccount, body: "json" },
  }),
  logout: defineRoute({ ...logoutDeclaration, method: "GET" }),
  logoutByPost: defineRoute({ ...logoutDeclaration, method: "POST" }),
  createUser: defineRoute({
    method: "POST",
    path: "/api/v1/users",
    summary: "Create a user",
    tag,
    permission: { kind: "systemAdmin" },
    body: z.object({
      name: filled("name", 32),
      account,
      password,
      email: z.string().max(100).default(""),
      phone: z.string().max(16).default(""),
    }),
    response: createdUser,
    audit: { method: "Create", function: "User", detail: namedAccount, body: "json" },
  }),
  createApiToken: defineRoute({
    method: "POST",
    path: "/api/v1/users/:uid(uuid)/token",
    summary: "Make a new API token; the one before stops working",
    tag,
    permission: { kind: "self" },
    params: userParams,
    response: z.object({ token: z.string() }),
    secretAnswer: true,
    audit: { method: "Create", function: "API Token", detail: ({ params }) => params.uid ?? "", body: "none" },
  }),
  getPersonal: defineRoute({
    method: "GET",
    path: "/api/v1/users/:uid(uuid)/personal",
    summary: "Read the own record; the first view makes the API token and shows it this once",
    tag,
    permission: { kind: "self" },
    params: userParams,
    response: userInfo,
    audit: { method: "Create", function: "API Token", detail: ({ params }) => params.uid ?? "", body: "none" },
  }),
};
