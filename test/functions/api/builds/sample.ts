import { repo } from "../../../harness/definitionCalls.ts";

/** A build as the specification writes it, of the project that `startForDefinitions` makes. */
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
