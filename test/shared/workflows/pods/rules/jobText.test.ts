import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildArguments } from "../../../../../shared/workflows/pods/rules/buildArguments.ts";
import {
  defaultTag,
  imageReference,
  packageFile,
  ruleTag,
} from "../../../../../shared/workflows/pods/rules/imageNames.ts";
import {
  buildVariables,
  commonVariables,
  registryVariables,
  repositoryVariables,
  scanVariables,
  testVariables,
} from "../../../../../shared/workflows/pods/rules/jobVariables.ts";
import { readMessage } from "../../../../../shared/workflows/pods/rules/readMessage.ts";
import { resourcesOf } from "../../../../../shared/workflows/pods/rules/resources.ts";
import { expandVariables } from "../../../../../shared/workflows/pods/rules/stepContainer.ts";

const map = (variables: readonly { name: string; value: string }[]) =>
  Object.fromEntries(variables.map(({ name, value }) => [name, value]));

const braced = (name: string) => `$\{${name}}`;

describe("names of images", () => {
  const task = { taskId: 7, now: Date.UTC(2026, 1, 3, 4, 5, 6) / 1000 };
  const repository = { tag: "", branch: "", pullRequests: [], commitId: "0123456789abcdef" };

  test("stand in the registry and its namespace", () => {
    const parts = { registryAddress: "https://r.example.org/", registryNamespace: "shop", imageName: "web", tag: "1" };
    expect(imageReference(parts)).toBe("r.example.org/shop/web:1");
    expect(imageReference({ ...parts, registryNamespace: "" })).toBe("r.example.org/web:1");
    expect(packageFile("r.example.org:5000/shop/web:1.2")).toBe("web-1.2.tar.gz");
  });

  test("have the default tag of what was built", () => {
    const tags = [
      undefined,
      repository,
      { ...repository, tag: "v1/2" },
      { ...repository, branch: "feat/ä", pullRequests: [1, 2] },
      { ...repository, pullRequests: [3] },
      { ...repository, branch: "main" },
    ].map((given) => defaultTag(given, task));
    const time = "20260203040506";
    const shown = [time, time, `${time}-v1-2`, `${time}-7-feat---pr-1-2`, `${time}-7-pr-3`, `${time}-7-main`];
    expect(tags).toEqual(shown);
  });

  test("follow a project's own rule", () => {
    const given = {
      service: "web",
      imageName: "front",
      project: "shop",
      envName: "dev",
      repository: { ...repository, branch: "a/b" },
    };
    const rule = `${braced("IMAGE_NAME")}:${["TIMESTAMP", "TASK_ID", "REPO_COMMIT_ID", "REPO_BRANCH", "NOBODY"].map(braced).join("-")}`;
    expect(ruleTag({ ...given, rule }, task)).toBe("front:20260203040506-7-01234567-a-b---NOBODY-");
    expect(ruleTag({ ...given, rule: ["PROJECT", "SERVICE", "ENV_NAME"].map(braced).join(".") }, task)).toBe(
      "shop.web.dev",
    );
  });

  test("are always tags that a registry takes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.array(fc.nat()), (branch, pullRequests) => {
        expect(defaultTag({ ...repository, branch, pullRequests }, task)).toMatch(
          /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/,
        );
      }),
    );
  });
});

describe("variables of scripts", () => {
  test("tell the task and its repositories", () => {
    const common = { project: "shop", workflow: "ship", taskId: 7, taskUrl: "https://x/7" };
    expect(map(commonVariables(common))).toEqual({
      ...{ CI: "true", ZADIG: "true", PROJECT: "shop", WORKFLOW: "ship", WORKSPACE: "/workspace" },
      ...{ TASK_ID: "7", TASK_URL: "https://x/7" },
    });
    const repository = {
      ...{ repoName: "3web-app.js", repoOwner: "shop", branch: "main", tag: "", commitId: "abc" },
      ...{ pullRequests: [1, 2], mergeBranches: ["x"] },
    };
    expect(map(repositoryVariables([repository]))).toEqual({
      ...{ REPONAME_0: "3web-app.js", REPO_0: "Dweb_app_js", Dweb_app_js_BRANCH: "main", Dweb_app_js_PR: "1,2" },
      ...{ Dweb_app_js_PRE_MERGE_BRANCHES: "x", Dweb_app_js_ORG: "shop", Dweb_app_js_COMMIT_ID: "abc" },
    });
  });

  test("tell builds, tests, scans and free scripts what they work on, credentials apart", () => {
    const registry = { host: "r.example.org", namespace: "shop", accessKey: "ak", secretKey: "sk" };
    const build = buildVariables({
      ...{ service: "web", serviceModule: "front", image: "i:1", packageFile: "i-1.tar.gz", buildUrl: "" },
      registry,
    });
    expect(map(build.env)).toMatchObject({
      SERVICE: "web",
      SERVICE_MODULE: "front",
      IMAGE: "i:1",
      GIT_SSL_NO_VERIFY: "true",
    });
    expect(map(build.secretEnv)).toEqual({ DOCKER_REGISTRY_AK: "ak", DOCKER_REGISTRY_SK: "sk" });
    expect(map(testVariables({ project: "shop", name: "t", type: "function" }))).toEqual({
      ...{ TESTING_PROJECT: "shop", TESTING_NAME: "t", TESTING_TYPE: "function" },
    });
    const sonar = { url: "https://s", token: "tok", link: "https://s/l" };
    const scan = scanVariables({ name: "s", type: "sonarQube", branch: "main", sonar });
    expect([map(scan.env).SONAR_LINK, map(scan.secretEnv)]).toEqual(["https://s/l", { SONAR_TOKEN: "tok" }]);
    const free = registryVariables([{ ...registry, namespace: "my-shop" }]);
    expect([map(free.env), map(free.secretEnv)]).toEqual([
      { my_shop_REGISTRY_HOST: "r.example.org" },
      { my_shop_REGISTRY_AK: "ak", my_shop_REGISTRY_SK: "sk" },
    ]);
  });

  test("are put into paths by their names", () => {
    const env = [{ name: "A", value: "$B" }];
    expect(expandVariables(`$A/${braced("A")}/$AB/$/$`, env)).toBe("$B/$B/$AB/$/$");
  });
});

describe("build arguments", () => {
  test("are those of docker build, with quotes and without a shell", () => {
    const text = `--build-arg A=1 --build-arg=B="two  words" --build-arg C='$(id) "x"' --target t\\ 1 --rm=true --no-cache --pull`;
    expect(buildArguments(text)).toEqual([
      ...["--opt", "build-arg:A=1", "--opt", "build-arg:B=two  words", "--opt", 'build-arg:C=$(id) "x"'],
      ...["--opt", "target=t 1", "--opt", "no-cache=", "--opt", "image-resolve-mode=pull"],
    ]);
    expect(buildArguments(" \n")).toEqual([]);
  });

  test.each([
    ["--secret id=x", "--secret is not understood; understood are --build-arg"],
    ["--build-arg", "--build-arg needs a value"],
    ["--build-arg 'A=1", "a ' is not closed"],
  ])("%s are refused", (text, message) => {
    expect(() => buildArguments(text)).toThrow(message);
  });
});

describe("resources", () => {
  const spec = { cpuLimit: 300, memoryLimit: 200, cpuRequest: 0, memoryRequest: 0, gpuLimit: "g: 1" };
  test("are a preset or the numbers given", () => {
    const high = { cpuLimitMilli: 16000, memoryLimitMib: 32768, cpuRequestMilli: 4000, memoryRequestMib: 4096 };
    expect(resourcesOf("high", spec)).toEqual({ ...high, gpuLimit: "g: 1" });
    for (const request of ["define", "constructor", ""])
      expect(resourcesOf(request, spec)).toEqual({ cpuLimitMilli: 300, memoryLimitMib: 200, gpuLimit: "g: 1" });
  });
});

describe("the message of a job's end", () => {
  test("is read whatever it holds", () => {
    const value = Buffer.from("é\nx\n").toString("base64");
    const message = readMessage(`!report=log\n!failed=tests 9\nA=${value}\nB=\nbad line\n__proto__=eA==\n`);
    expect(message).toMatchObject({ report: "log", failed: { step: "tests", exitCode: 9 }, outputsTooLong: false });
    expect(Object.entries(message.outputs)).toEqual([
      ["A", "é\nx"],
      ["B", ""],
      ["__proto__", "x"],
    ]);
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readMessage(text)));
  });

  test("tells what was checked out, and takes nothing else for a commit", () => {
    const line = (place: string, text: string | Buffer) => `@${place}=${Buffer.from(text).toString("base64")}\n`;
    const id = "0123456789abcdef0123456789abcdef01234567";
    const cut = Buffer.from(`${id}\nZoë\nna\u00efve`).subarray(0, -3);
    const wrong =
      line("2", "main\nAda\nx") + line("x", `${id}\nAda\nx`) + line("-1", `${id}\n`) + line("3", `${id} soon\nAda\nx`);
    const { commits, outputs } = readMessage(
      line("0", `${id}\n\n`) + wrong + line("11", cut) + line("12", `${id} 1764105600\nAda\nx`),
    );
    expect([...commits]).toEqual([
      [0, { id, author: "", message: "" }],
      [11, { id, author: "Zoë", message: "na" }],
      [12, { id, time: 1764105600, author: "Ada", message: "x" }],
    ]);
    expect(outputs).toEqual({});
  });
});
