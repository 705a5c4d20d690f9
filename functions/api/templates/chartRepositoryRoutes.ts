import * as z from "zod";
import { address, optionalLine, secretLine } from "../../../shared/http/fields.ts";
import { recordRoutes } from "../../../shared/http/recordRoutes.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { isObject, madeRecord, message, plainName } from "../../../shared/http/schemas.ts";
import { chartRepositoryTypes } from "../../../shared/integrations/store/chartRepositories.ts";
import { isEcrAddress } from "../../../shared/packaging/registries/registryRules.ts";

const path = "/api/aslan/system/helm";

/** The password stays when it is absent or empty, and goes with the username. */
export const chartRepositoryBody = z
  .object({
    repo_name: plainName(),
    url: address("url", ["https", "http", "oci"]),
    type: z.enum(chartRepositoryTypes, `must be one of ${chartRepositoryTypes.join(", ")}`),
    username: optionalLine(255).default(""),
    password: secretLine().default(""),
  })
  .superRefine(checkFields, { when: isObject });

/** What the fields demand of each other, told together with what is wrong with each. */
function checkFields(body: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void {
  const seen = new Set(context.issues.map(({ path: at }) => at?.[0]));
  const add = (field: string, message: string) => {
    if (!seen.has(field)) context.addIssue({ code: "custom", path: [field], message });
  };
  const url = String(body.url);
  const hasUser = typeof body.username === "string" && body.username !== "";
  if (body.type === "http" && /^oci:/i.test(url)) add("url", "must begin with https:// or http:// for type http");
  // Without keys the platform's own login is sent there, so it must be Amazon's.
  const origin = URL.parse(url.replace(/^oci:/i, "https:"))?.origin ?? "";
  if (body.type === "ecr" && !hasUser && !isEcrAddress(origin))
    add("url", "without a username must be https://<account>.dkr.ecr.<region>.amazonaws.com and a path");
  if (typeof body.password === "string" && body.password !== "" && !hasUser)
    add("username", "is required with a password");
}

export const chartRepository = z
  .object({
    id: z.string(),
    repo_name: z.string(),
    url: z.string(),
    type: z.enum(chartRepositoryTypes),
    username: z.string(),
  })
  .meta({ id: "ChartRepository" });

const words = {
  path,
  idForm: "hex",
  tag: "Chart repositories",
  function: "Chart Repository",
  noun: "a chart repository",
  nouns: "chart repositories",
  nameField: "repo_name",
  adding: "Create",
} as const;

const routes = recordRoutes(words, {
  added: chartRepositoryBody,
  changed: chartRepositoryBody,
  listed: z.array(chartRepository),
  shown: chartRepository,
  made: madeRecord,
});

/** Where charts are fetched from (decisions 11.11). */
export const chartRepositoryRoutes = {
  listChartRepositories: routes.list,
  addChartRepository: routes.add,
  getChartRepository: routes.read,
  updateChartRepository: routes.change,
  deleteChartRepository: routes.remove,
  testChartRepository: defineRoute({
    method: "POST",
    reads: true,
    path: `${path}/:id(hex)/test`,
    summary: "Ask a chart repository for what it has, with its login",
    tag: words.tag,
    permission: { kind: "systemAdmin" },
    params: z.object({ id: z.string() }),
    response: message,
  }),
};
