import { expect } from "vitest";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";

export interface Refusal {
  code: number;
  message: string;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

export interface BuildCalls {
  slipway: Slipway;
  ok<T = { message: string }>(method: string, path: string, body?: unknown): Promise<T>;
  refused(method: string, path: string, body?: unknown): Promise<Answer<Refusal>>;
}

/** A repository of the code host that `startForBuilds` adds. */
export const repo = { codehost_name: "git", repo_namespace: "team", repo_name: "web", branch: "main" };

/** A build as the specification writes it, of the project that `startForBuilds` makes. */
export const sample = {
  name: "web-build",
  project_key: "shop",
  infrastructure: "kubernetes",
  build_os: "node 24",
  installs: [{ name: "go", version: "1.24" }],
  script_type: "shell",
  build_script: "#!/bin/sh\nmake image",
  repo_info: [repo],
  parameters: [
    { key: "LEVEL", type: "choice", default_value: "low", choice_option: ["low", "high"], description: "how much" },
    { key: "TOKEN", type: "string", default_value: "a-secret-value", is_credential: true },
  ],
  services: [{ service_name: "web", service_module: "main" }],
  docker_build_step: {
    build_context_dir: "web",
    dockerfile_source: "template",
    dockerfile_directory: "",
    template_name: "node",
    build_args: "--build-arg A=1",
    enable_buildkit: true,
    platforms: "linux/amd64,linux/arm64",
  },
  advanced_settings: {
    cluster_name: "local",
    strategy_name: "normal",
    timeout: 30,
    resource_spec: { cpu_limit: 2000, memory_limit: 1024, cpu_req: 100, memory_req: 64, gpu_limit: "" },
    use_host_docker_daemon: true,
    privileged_mode: false,
    cache_setting: { enabled: true, cache_dir: "/cache" },
    storages: { enabled: false, storages_properties: [] },
    custom_annotations: [{ key: "example.com/team", value: "the web team" }],
    custom_labels: [{ key: "team", value: "web" }],
    outputs: ["VERSION"],
  },
};

/** An installation with the projects `shop` and `other`, and everything that `sample` refers to. */
export async function startForBuilds(): Promise<BuildCalls> {
  const slipway = await startSlipway();
  const ok = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await slipway.call<T>(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  };
  const refused = async (method: string, path: string, body?: unknown): Promise<Answer<Refusal>> => {
    const answer = await slipway.call<Refusal>(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeGreaterThanOrEqual(400);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
    return answer;
  };
  for (const project_key of ["shop", "other"])
    await ok("POST", "/openapi/projects/project", { project_key, project_name: project_key, project_type: "yaml" });
  const host = { type: "gitlab", address: "https://git.example.com", auth_type: "token", access_token: "t" };
  await ok("POST", "/api/aslan/system/codehosts", { ...host, alias: "git" });
  await ok("POST", "/api/aslan/system/basicImages", { label: "node 24", value: "node:24" });
  await ok("POST", "/api/aslan/template/dockerfile", { name: "node", content: "FROM node:24\n" });
  return { slipway, ok, refused };
}

/** The record of a list that has this name. */
export async function idOf({ ok }: BuildCalls, path: string, field: string, name: string): Promise<string> {
  const records = await ok<Record<string, unknown>[]>("GET", path);
  return String(records.find((record) => record[field] === name)?.id);
}
