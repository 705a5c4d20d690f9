import { useMatches } from "@tanstack/react-router";
import type { Here } from "../operations/given.ts";
import { useWords } from "../words.tsx";

/** A page on the way from the start to the one that is shown. */
export interface Crumb {
  label: string;
  /** Its address below the console; none for the page that is shown. */
  href?: string;
}

/** The page that is shown. */
export function useHere(): Here {
  const match = useMatches({ select: (all) => all.at(-1) });
  return {
    pattern: match?.routeId.replace(/^\/shell/, "") ?? "/",
    params: (match?.params ?? {}) as Here["params"],
    search: (match?.search ?? {}) as Here["search"],
  };
}

export const projectAddress = (project: string): string => `/v1/projects/detail/${encodeURIComponent(project)}`;

/** The address of an environment. */
export function environmentAddress(project: string, env: string, production: boolean): string {
  const search = new URLSearchParams({ envName: env, ...(production && { production: "true" }) });
  return `${projectAddress(project)}/envs/detail?${search}`;
}

export const workflowAddress = (project: string, workflow: string): string =>
  `${projectAddress(project)}/pipelines/custom/${encodeURIComponent(workflow)}`;

/** The way to the page that is shown, itself last. */
export function useCrumbs(): Crumb[] {
  const { t } = useWords();
  const { pattern, params, search } = useHere();
  const text = (name: string): string => String(search[name] ?? "");
  const start = { label: t("Projects"), href: "/" };
  const administration = { label: t("Administration"), href: "/administration" };
  const { project = "", workflow = "", task = "", version = "", operation = "" } = params;
  const own = projectAddress(project);
  const env = {
    label: text("envName"),
    href: environmentAddress(project, text("envName"), search.production === true),
  };
  const services = { label: t("Services"), href: `${own}/services` };
  const versions = { label: t("Delivery versions"), href: `${own}/version` };
  const pipeline = { label: workflow, href: workflowAddress(project, workflow) };
  const inProject: Readonly<Record<string, Crumb[]>> = {
    "": [],
    "/boundary": [{ label: t("Boundary") }],
    "/envs/detail": [env, ...(text("service") === "" ? [] : [{ label: text("service") }])],
    "/envs/settings": [env, { label: t("Settings") }],
    "/envs/compare": [{ label: t("Compare environments") }],
    "/pipelines/new": [{ label: t("New workflow") }],
    "/pipelines/custom/$workflow": [pipeline],
    "/pipelines/custom/$workflow/edit": [pipeline, { label: t("Edit") }],
    "/pipelines/custom/$workflow/$task": [pipeline, { label: `#${task}` }],
    "/services": [services, ...(text("service") === "" ? [] : [{ label: text("service") }])],
    "/services/new": [services, { label: t("New service") }],
    "/version": [versions],
    "/version/$version": [versions, { label: version }],
  };
  const others: Readonly<Record<string, Crumb[]>> = {
    "/": [start],
    "/apply": [start, { label: t("Project from manifests") }],
    "/account": [{ label: t("Account") }],
    "/v1/artifacts/trace": [{ label: t("Trace of an image") }],
    "/v1/releasePlan": [{ label: t("Release plans") }],
    "/v1/releasePlan/detail": [{ label: t("Release plans"), href: "/v1/releasePlan" }, { label: t("Plan") }],
    "/v1/statistics": [{ label: t("Statistics") }],
    "/administration": [administration],
    "/administration/groups": [administration, { label: t("Groups") }],
    "/administration/roles":
      text("namespace") === ""
        ? [administration, { label: t("Roles") }]
        : [start, { label: text("namespace"), href: projectAddress(text("namespace")) }, { label: t("Roles") }],
    "/administration/security": [administration, { label: t("Signing in") }],
    "/operations/$operation": [{ label: t("All operations"), href: "/operations" }, { label: operation }],
    "/operations": [{ label: t("All operations") }],
  };
  const prefix = "/v1/projects/detail/$project";
  if (pattern.startsWith(prefix))
    return [start, { label: project, href: own }, ...(inProject[pattern.slice(prefix.length)] ?? [])];
  return others[pattern] ?? [{ label: t("There is no such page.") }];
}
