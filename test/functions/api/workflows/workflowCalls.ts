import { expect } from "vitest";
import type { Answer, CallOptions, Slipway } from "../../../harness/slipway.ts";

export type Tree = Record<string, unknown>;

/** The endpoints of workflows, as tests call them. */
export function workflowCalls(slipway: () => Slipway, project = "demo") {
  const call = <T = Tree>(method: string, path: string, options?: CallOptions) =>
    slipway().call<T>(method, path, options);
  return {
    project: async (project_key: string, project_type = "yaml") => {
      const body = { project_name: project_key, project_key, is_public: false, project_type };
      expect((await call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    },
    create: (body: unknown, options: CallOptions = {}, query = "") =>
      call("POST", `/api/aslan/workflow/v4${query}`, { body, ...options }),
    update: (key: string, body: unknown, options: CallOptions = {}) =>
      call("PUT", `/api/aslan/workflow/v4/${key}`, { body, ...options }),
    lint: (body: unknown, options: CallOptions = {}) =>
      call("POST", "/api/aslan/workflow/v4/lint", { body, ...options }),
    detail: (key: string, options: CallOptions = {}, ofProject = project) =>
      call("GET", `/openapi/workflows/custom/${key}/detail?projectKey=${ofProject}`, options),
    named: (key: string, options: CallOptions = {}, ofProject = project) =>
      call("GET", `/api/aslan/workflow/v4/name/${key}?projectName=${ofProject}`, options),
    preset: (key: string) => call("GET", `/api/aslan/workflow/v4/preset/${key}?projectName=${project}`),
    list: (query = "", options: CallOptions = {}, ofProject = project) =>
      call<{ workflows: Tree[] }>("GET", `/openapi/workflows?projectKey=${ofProject}${query}`, options),
    remove: (key: string, options: CallOptions = {}, ofProject = project) =>
      call("DELETE", `/openapi/workflows/custom?workflowKey=${key}&projectKey=${ofProject}`, options),
  };
}

export function expectSuccess(answer: Answer): void {
  expect([answer.status, (answer.json as { message?: string }).message], answer.text).toEqual([200, "success"]);
}

/** A build of the project `demo`. */
export function buildBody(name: string, services: readonly Tree[] = []): Tree {
  return {
    ...{ name, project_key: "demo", infrastructure: "kubernetes", build_os: "ubuntu 20.04", services },
    ...{ installs: [], script_type: "shell", build_script: "make" },
  };
}
