import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

interface Expected {
  log: string[];
  parameters?: Record<string, string>;
  envs?: Record<string, string>;
}

const cases = new URL("../fixtures/cases/templates/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, cases), "utf8");
const { files } = JSON.parse(read("expected.json")) as { files: Record<string, Expected> };

/** More of the kind: what other tools write between braces. */
const more: [string, string, Expected][] = [
  [
    "helm and argo",
    `cat <<'END'\n{{- with .Values.resources }}{{ toYaml . | nindent 8 }}{{ end }}\n{{workflow.parameters.name}} {{inputs.parameters.x}}\nEND\n`,
    {
      log: [
        "{{- with .Values.resources }}{{ toYaml . | nindent 8 }}{{ end }}",
        "{{workflow.parameters.name}} {{inputs.parameters.x}}",
      ],
    },
  ],
  [
    "github and go-task",
    `cat <<'END'\n\${{ secrets.TOKEN }} {{.CLI_ARGS}} {{.Git.Tag}} {{ .ProjectName }} {{.Jobs}}\nEND\n`,
    { log: [`\${{ secrets.TOKEN }} {{.CLI_ARGS}} {{.Git.Tag}} {{ .ProjectName }} {{.Jobs}}`] },
  ],
  ["lines of Windows", "echo one\r\nif true; then\r\n  echo two\r\nfi\r\n", { log: ["one", "two"] }],
];

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
});

afterAll(() => slipway?.close());

const all = [
  ...Object.entries(files).map(([file, expected]) => [file, read(file), expected] as const),
  ...more.map(([name, script, expected]) => [name, script, expected] as const),
];

test.each(all)("%s runs as it was written", async (name, script, { log, parameters = {}, envs = {} }) => {
  const key = name.replaceAll(/[^a-z]/g, "-");
  const spec = {
    ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script },
    envs: Object.entries(envs).map(([variable, value]) => ({ key: variable, value, type: "string" })),
  };
  const body = {
    ...{ name: key, project: "shop" },
    params: Object.keys(parameters).map((param) => ({ name: param, type: "string", value: "" })),
    stages: [{ name: "one", jobs: [{ name: "say", type: "freestyle", spec }] }],
  };
  const saved = await slipway.call<{ warnings?: { code: string; message: string }[] }>(
    "POST",
    "/openapi/workflows/custom",
    { body },
  );
  expect(saved.status, saved.text).toBe(200);
  const said = saved.json.warnings?.map(({ code, message }) => `${code} ${message}`) ?? [];
  if (name === "own-names.sh")
    expect(said).toEqual([
      expect.stringMatching(/^unknown_variable stages\[0\]\.jobs\[0\]\.spec\.script, line 2: .*params\.nobody/),
      expect.stringMatching(/^unknown_variable .*job\.nobody\.output\.X.* no job nobody/),
    ]);
  else if (name === "lines of Windows") expect(said).toEqual([expect.stringMatching(/^carriage_returns .*CR LF/)]);
  else expect(said).toEqual([]);
  const given = Object.entries(parameters).map(([param, value]) => ({ name: param, type: "string", value }));
  const id = await tasks.started(key, ["say"], { parameters: given });
  const task = await tasks.end(key, id);
  expect(task.stages[0]?.jobs[0]?.error).toBe("");
  expect(task.status).toBe("passed");
  const { text } = await slipway.call("GET", `/openapi/logs/log/v4/workflow/${key}/${id}/say`);
  expect(text).toContain(log.join("\n").replaceAll("$project", "shop"));
});
