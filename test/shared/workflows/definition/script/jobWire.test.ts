import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import type * as z from "zod";
import {
  advancedSettingsInput,
  showSettings,
} from "../../../../../shared/workflows/definition/script/advancedSettings.ts";
import {
  declaredKeyVals,
  keyValInputs,
  keyValTypes,
  maskedValue,
  showKeyVal,
} from "../../../../../shared/workflows/definition/script/keyVal.ts";
import { pullRequestsOf, repositoryInput } from "../../../../../shared/workflows/definition/script/repository.ts";
import { repositoryForm, showRepository } from "../../../../../shared/workflows/definition/script/repositoryForm.ts";
import { showRepositoryInfo } from "../../../../../shared/workflows/definition/script/repositoryInfo.ts";
import { resourceSpecInput } from "../../../../../shared/workflows/definition/script/resourceSpec.ts";
import { storagesInput, workflowStorages } from "../../../../../shared/workflows/definition/script/storage.ts";

function problemsOf(schema: z.ZodType, value: unknown): string[] {
  const read = schema.safeParse(value);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const repo = { codehost_name: "git", repo_namespace: "team", repo_name: "app", branch: "main" };

describe("a repository on the wire", () => {
  test("is read as the specification writes it, with the defaults of the contract", () => {
    expect(repositoryInput.parse(repo)).toEqual({
      codeHostName: "git",
      namespace: "team",
      name: "app",
      branch: "main",
      tag: "",
      pullRequests: [],
      mergeBranches: [],
      enableCommit: false,
      commitId: "",
      remoteName: "origin",
      checkoutPath: "",
      submodules: false,
      hidden: false,
      isPrimary: false,
    });
  });

  test("takes repo_owner for repo_namespace and pr for prs", () => {
    const { repo_namespace: _, ...rest } = repo;
    expect(repositoryInput.parse({ ...rest, repo_owner: "team", pr: 7 })).toMatchObject({
      namespace: "team",
      pullRequests: [7],
    });
    expect(pullRequestsOf({ pr: 7, prs: [3, 0, 3, 5] })).toEqual([3, 5]);
  });

  test("names a branch, a tag or a commit", () => {
    expect(problemsOf(repositoryInput, { ...repo, branch: "" })).toEqual(["branch: branch cannot be empty"]);
    expect(problemsOf(repositoryInput, { ...repo, branch: "", tag: "v1" })).toEqual([]);
    expect(problemsOf(repositoryInput, { ...repo, enable_commit: true })).toEqual([
      "commit_id: is required with enable_commit",
    ]);
  });

  test.each(["../outside", "/etc", "a/../../b"])("is never cloned outside the workspace: %s", (checkout_path) => {
    expect(problemsOf(repositoryInput, { ...repo, checkout_path })[0]).toContain("must be a path inside the workspace");
  });

  test("comes back from its full form as it was, whatever it holds", () => {
    const text = fc.string({ minLength: 1, maxLength: 12 });
    const repository = fc.record({
      codeHostId: fc.integer({ min: 1, max: 1e6 }),
      source: text,
      owner: text,
      namespace: text,
      name: text,
      remoteName: text,
      branch: fc.string(),
      tag: fc.string(),
      pullRequests: fc.uniqueArray(fc.integer({ min: 1, max: 1e6 })),
      mergeBranches: fc.array(text),
      enableCommit: fc.boolean(),
      commitId: fc.string(),
      checkoutPath: fc.string(),
      submodules: fc.boolean(),
      hidden: fc.boolean(),
      isPrimary: fc.boolean(),
    });
    fc.assert(
      fc.property(repository, (one) => {
        expect(repositoryForm.parse(JSON.parse(JSON.stringify(showRepository(one))))).toEqual(one);
      }),
    );
  });

  test("comes back from the form in which it is sent, whatever it holds", () => {
    const text = fc.stringMatching(/^[a-zA-Z0-9._/-]{1,20}$/);
    const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
    const input = fc.record({
      namespace: text,
      name,
      branch: text,
      tag: fc.constantFrom("", "v1"),
      pullRequests: fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { maxLength: 5 }),
      mergeBranches: fc.array(text, { maxLength: 5 }),
      enableCommit: fc.boolean(),
      commitId: fc.stringMatching(/^[0-9a-f]{40}$/),
      remoteName: name,
      checkoutPath: name,
      submodules: fc.boolean(),
      hidden: fc.boolean(),
      isPrimary: fc.boolean(),
    });
    fc.assert(
      fc.property(input, (one) => {
        const stored = { ...one, owner: one.namespace, codeHostId: 7, source: "gitea" };
        expect(repositoryInput.parse(showRepositoryInfo(stored, "git"))).toEqual({ ...one, codeHostName: "git" });
      }),
    );
  });

  test("never shows a credential, and its full form never reads one", () => {
    const shown = showRepository(repositoryForm.parse({ repo_name: "app", oauth_token: "secret", password: "secret" }));
    expect(shown.oauth_token).toBe("");
    expect(JSON.stringify(shown)).not.toContain("secret");
  });
});

describe("a variable on the wire", () => {
  test("takes default_value for value, and the chosen values of a multi-select", () => {
    expect(keyValInputs.parse([{ key: "A", type: "string", default_value: "1" }])).toMatchObject([
      { key: "A", value: "1" },
    ]);
    const list = { key: "B", type: "multi-select", choice_option: ["x", "y", "z"], choice_value: ["x", "z"] };
    expect(keyValInputs.parse([list])).toMatchObject([{ value: "x,z", choiceOptions: ["x", "y", "z"] }]);
  });

  test("has a value, a known type and a key of its own", () => {
    expect(problemsOf(keyValInputs, [{ key: "A", type: "string" }])).toEqual([
      "0.value: is required; it may be an empty text",
    ]);
    expect(problemsOf(keyValInputs, [{ key: "A", type: "number", value: "" }])[0]).toContain("0.type: must be one of");
    const twice = { key: "A", value: "" };
    expect(problemsOf(keyValInputs, [twice, twice])).toEqual(["1.key: duplicated key: A"]);
  });

  test("comes back as it was, whatever it holds", () => {
    const pair = fc.record({
      key: fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/),
      type: fc.constantFrom(...keyValTypes.filter((type) => type !== "multi-select")),
      value: fc.string(),
      choiceOptions: fc.array(fc.string(), { maxLength: 5 }),
      choiceValues: fc.array(fc.string(), { maxLength: 5 }),
      isCredential: fc.constant(false),
      description: fc.stringMatching(/^[a-z ]{0,20}$/),
      required: fc.boolean(),
    });
    fc.assert(
      fc.property(pair, (one) => {
        expect(keyValInputs.parse([showKeyVal(one, false)])).toEqual([one]);
      }),
    );
  });

  test("shows stars for a stored credential, and nothing where none is stored", () => {
    const [credential] = keyValInputs.parse([{ key: "P", value: "hunter2", is_credential: true }]);
    assert(credential !== undefined);
    expect(showKeyVal(credential, true).value).toBe(maskedValue);
    expect(showKeyVal(credential, false).value).toBe("");
  });
});

describe("settings of a job on the wire", () => {
  test("come back as they were sent", () => {
    const sent = {
      cluster_name: "prod",
      strategy_name: "arm",
      timeout: 30,
      resource_spec: {
        cpu_limit: 2000,
        memory_limit: 1024,
        cpu_req: 100,
        memory_req: 64,
        gpu_limit: "nvidia.com/gpu: 1",
      },
      use_host_docker_daemon: true,
      privileged_mode: true,
      cache_setting: { enabled: true, cache_dir: "/cache/maven" },
      storages: {
        enabled: true,
        storages_properties: [
          {
            provision_type: "dynamic",
            access_mode: "ReadWriteOnce",
            is_temporary: true,
            mount_path: "/data",
            subpath: "a/b",
            pvc: "",
            storage_class: "fast",
            storage_size_in_gib: 5,
          },
        ],
      },
      custom_annotations: [{ key: "example.com/team", value: "a team" }],
      custom_labels: [{ key: "team", value: "a" }],
      outputs: ["VERSION"],
    };
    const read = advancedSettingsInput.parse(sent);
    expect(showSettings(read, read)).toEqual(sent);
  });

  test("take both spellings of requests, and refuse a request above its limit", () => {
    const scan = { cpu_limit: 1000, memory_limit: 512, cpu_request: 500, memory_request: 256 };
    expect(resourceSpecInput.parse(scan)).toMatchObject({ cpuRequestMillis: 500, memoryRequestMebibytes: 256 });
    expect(problemsOf(resourceSpecInput, { ...scan, cpu_request: 2000 })).toEqual([
      "cpu_req: must not be above cpu_limit",
    ]);
  });

  test("say what a storage of each kind needs", () => {
    const storage = { mount_path: "/data", subpath: "", storage_class: "" };
    const storages = (provision_type: string) => ({
      enabled: true,
      storages_properties: [{ ...storage, provision_type }],
    });
    expect(problemsOf(storagesInput, storages("static"))).toEqual([
      "storages_properties.0.pvc: is required for provision_type static",
    ]);
    expect(problemsOf(storagesInput, storages("dynamic"))).toEqual([
      "storages_properties.0.storage_size_in_gib: must be at least 1 for provision_type dynamic",
    ]);
    const bare = { provision_type: "dynamic", mount_path: "/data", subpath: "", storage_size_in_gib: 1 };
    expect(storagesInput.parse({ enabled: true, storages_properties: [bare] }).properties).toMatchObject([
      { storageClass: "" },
    ]);
    const { subpath, ...rootless } = { ...bare, storage_class: "" };
    expect(problemsOf(storagesInput, { enabled: true, storages_properties: [rootless] })).toEqual([
      expect.stringContaining("storages_properties.0.subpath"),
    ]);
    expect(workflowStorages.parse({ enabled: true, storages_properties: [rootless] }).properties).toMatchObject([
      { subpath, storageClass: "" },
    ]);
  });

  test("name what a cache and the variables of a build leave out", () => {
    expect(problemsOf(advancedSettingsInput, { cache_setting: { enabled: true } })).toEqual([
      expect.stringContaining("cache_setting.cache_dir"),
    ]);
    expect(problemsOf(declaredKeyVals, [{ key: "A", value: "" }])).toEqual([expect.stringContaining("0.type")]);
  });

  test("never set a label that says whose job it is", () => {
    expect(problemsOf(advancedSettingsInput, { custom_labels: [{ key: "s-name", value: "x" }] })).toEqual([
      "custom_labels.0.key: is a label that Slipway sets itself",
    ]);
  });
});
