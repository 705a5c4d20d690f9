import * as z from "zod";
import { previewable } from "../../../../shared/http/preview.ts";
import { defineRoute, fromBody, fromPath, fromQuery } from "../../../../shared/http/route.ts";
import { filled, message, successWithWarnings } from "../../../../shared/http/schemas.ts";
import { freezeAt } from "../../../../shared/projects/freezes/rules/windows.ts";
import { audit, configures, envOfPath, helmEnvOfBody, type Kind, project, reads, tag, verb } from "../routeParts.ts";
import { envParams, projectQuery } from "../schemas.ts";
import { defaultValues, newHelmEnvironment, releaseAnswers, releases } from "./helmSchemas.ts";

function valuesOf(kind: Kind) {
  return defineRoute({
    method: "GET",
    path: kind === "test" ? "/openapi/environments/service/values" : "/openapi/environments/production/service/values",
    summary: `Read all values of a release in a ${kind} environment as YAML`,
    tag,
    permission: verb(reads[kind]),
    scope: { project, environment: fromQuery("envName") },
    query: z.object({ ...projectQuery, envName: filled("envName"), serviceName: filled("serviceName") }),
    response: z.string(),
    responseType: "text",
  });
}

const ofEither = {
  path: "/openapi/environments/:envName/defaultValues",
  tag,
  scope: { project, environment: fromPath("envName") },
  params: envParams,
  query: z.object(projectQuery),
} as const;

/** Of what changes the charts of an environment of either kind by one path. */
const changesCharts = {
  freeze: freezeAt,
  permission: {
    kind: "verb",
    verbs: [configures.test],
    productionVerbs: [configures.production],
    collaboration: "environment",
  },
  audit: audit("Update", "test", envOfPath, { function: "Environment" }),
} as const;

/** Environments of Helm projects (contract P 6). */
export const helmRoutes = {
  createHelmEnvironment: defineRoute({
    method: "POST",
    path: "/openapi/environments/helm",
    summary: "Create an empty environment of a Helm project; production says of which kind",
    tag,
    freeze: freezeAt,
    permission: {
      kind: "verb",
      verbs: ["create_environment"],
      productionVerbs: ["create_production_environment"],
    },
    scope: { project, production: fromBody("production") },
    query: z.object(projectQuery),
    body: newHelmEnvironment,
    response: message,
    audit: { ...audit("Create", "test", helmEnvOfBody), productionFunction: "Production Environment" },
  }),
  deployReleases: previewable(
    defineRoute({
      method: "POST",
      path: "/openapi/environments/helm/:envName/services",
      summary: "Install or upgrade chart services in an environment of a Helm project",
      tag,
      ...changesCharts,
      scope: { project, environment: fromPath("envName") },
      params: envParams,
      query: z.object(projectQuery),
      body: releases,
      response: releaseAnswers,
    }),
  ),
  readDefaultValues: defineRoute({
    ...ofEither,
    method: "GET",
    summary: "Read the values that every chart of an environment gets",
    permission: {
      kind: "verb",
      verbs: [reads.test],
      productionVerbs: [reads.production],
      collaboration: "environment",
    },
    response: defaultValues,
  }),
  setDefaultValues: previewable(
    defineRoute({
      ...ofEither,
      method: "PUT",
      summary: "Replace the values that every chart of an environment gets, and upgrade the releases that they change",
      ...changesCharts,
      body: defaultValues,
      response: successWithWarnings,
    }),
  ),
  readTestReleaseValues: valuesOf("test"),
  readProductionReleaseValues: valuesOf("production"),
};
