import { expect, test } from "vitest";
import { referencesOf } from "../../../../shared/workflows/definition/references.ts";

const id = (digit: string) => digit.repeat(24);

test("references are found by the fields that every job names alike, and by the lists of what a job runs", () => {
  const job = (type: string, spec: object) => ({ name: "j", type, spec });
  const definition = {
    project: "demo",
    params: [{ name: "repo", repo: { codehost_id: 7 } }],
    stages: [
      {
        jobs: [
          job("zadig-build", {
            docker_registry_id: id("a"),
            service_and_builds: [{ build_name: "image", repos: [{ codehost_id: 7 }, { codehost_id: 8 }] }],
            service_and_builds_options: [{ build_name: "other", repos: [{ codehost_id: 9 }] }],
          }),
          job("zadig-test", { test_modules: [{ name: "unit" }, { name: "e2e", project_name: "quality" }] }),
          job("zadig-scanning", { scannings: [{ name: "sonar" }, {}] }),
          job("freestyle", {
            runtime: { image_id: id("b") },
            advanced_settings: { cluster_id: id("c"), strategy_id: id("d") },
          }),
          job("vendor", { deep: [{ cluster_id: id("e") }], cluster_id: "not an id", codehost_id: 0 }),
          { name: "k", type: "x", spec: null },
        ],
      },
      { name: "no jobs" },
    ],
  };
  expect(referencesOf(definition)).toEqual([
    { kind: "code-host", id: "7" },
    { kind: "registry", id: id("a") },
    { kind: "code-host", id: "8" },
    { kind: "build", projectKey: "demo", name: "image" },
    { kind: "test", projectKey: "demo", name: "unit" },
    { kind: "test", projectKey: "quality", name: "e2e" },
    { kind: "scan", projectKey: "demo", name: "sonar" },
    { kind: "base-image", id: id("b") },
    { kind: "cluster", id: id("c"), strategyId: id("d") },
    { kind: "cluster", id: id("e") },
  ]);
});

test("a definition without anything refers to nothing", () => {
  expect(referencesOf({})).toEqual([]);
});
