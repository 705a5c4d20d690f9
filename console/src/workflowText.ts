import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Mark } from "./editor/marks.ts";

/** What the graph shows of a job; a text that is being typed may say less than a job needs. */
export interface ShownJob {
  name: string;
  type: string;
}

export interface ShownStage {
  name: string;
  parallel: boolean;
  /** Whether a user has to approve it, or to execute it by hand. */
  waits: boolean;
  jobs: ShownJob[];
}

/** A workflow as a text says it. */
export interface WorkflowText {
  /** What the text says; undefined while it is no mapping in YAML. */
  definition: Record<string, unknown> | undefined;
  stages: ShownStage[];
  /** What is wrong with it as YAML. */
  marks: Mark[];
  /** The line at which a path of the API such as `stages[0].jobs[1].spec` begins, or what of it is there. */
  lineOf(path: string): number;
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);
const treesOf = (value: unknown): Tree[] => (Array.isArray(value) ? value.map((one) => (isTree(one) ? one : {})) : []);
const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? `${value}` : "");
const isOn = (value: unknown): boolean => isTree(value) && value.enabled === true;

export function readWorkflow(text: string): WorkflowText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const { definition, problem } = mappingOf(document);
  const marks = document.errors.map(({ message, linePos }): Mark => {
    return { line: linePos?.[0].line ?? 1, severity: "error", message: message.split("\n", 1)[0] ?? "" };
  });
  if (problem !== undefined) marks.push({ line: 1, severity: "error", message: problem });
  return {
    definition,
    marks,
    stages: treesOf(definition?.stages).map(shownStage),
    lineOf: lineFinder(document, lines),
  };
}

function mappingOf(document: Document): { definition: Tree | undefined; problem?: string } {
  if (document.errors.length > 0) return { definition: undefined };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { definition: isTree(value) ? value : undefined };
  } catch (error) {
    return { definition: undefined, problem: (error as Error).message };
  }
}

function shownStage({ name, parallel, approval, manual_exec, jobs }: Tree): ShownStage {
  return {
    ...{ name: textOf(name), parallel: parallel === true, waits: isOn(approval) || isOn(manual_exec) },
    jobs: treesOf(jobs).map((job) => ({ name: textOf(job.name), type: textOf(job.type) })),
  };
}

function lineFinder(document: Document, lines: LineCounter): WorkflowText["lineOf"] {
  const lineAt = (node: unknown): number | undefined => {
    const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined;
    return range ? lines.linePos(range[0]).line : undefined;
  };
  return (path) => {
    let node: unknown = document.contents;
    let line = 1;
    for (const [part] of path.matchAll(/[^.[\]]+/g)) {
      const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part) : undefined;
      const next: unknown = pair?.value ?? (isSeq(node) ? node.items[Number(part)] : undefined);
      line = lineAt(pair?.key ?? next) ?? line;
      node = next;
    }
    return line;
  };
}

/** Kinds of jobs that begin with more than an empty `spec`; what is missing the API says. */
const beginnings: Readonly<Record<string, object>> = {
  freestyle: {
    runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
    ...{ script_type: "shell", script: "set -eu\necho hello\n" },
  },
  approval: {
    type: "native",
    timeout: 60,
    native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] },
  },
  jenkins: { id: "", jobs: [{ job_name: "", parameters: [] }] },
  sql: { id: "", sql: "" },
  nacos: {
    nacos_id: "",
    namespace_id: "",
    nacos_datas: [{ data_id: "", group: "DEFAULT_GROUP", format: "yaml", content: "" }],
  },
  apollo: {
    apolloID: "",
    namespaceList: [{ appID: "", env: "", clusterID: "default", namespace: "application", kv: [{ key: "", val: "" }] }],
  },
  jira: { jira_id: "", target_status: "", issues: [{ key: "" }] },
};

/** Kinds of jobs that the graph adds. */
export const jobTypes: readonly string[] = [
  ...["freestyle", "approval", "zadig-build", "zadig-test", "zadig-scanning", "zadig-deploy", "zadig-helm-deploy"],
  ...["k8s-canary-deploy", "k8s-canary-release", "k8s-blue-green-deploy", "k8s-blue-green-release"],
  ...["k8s-gray-release", "istio-release", "zadig-distribute-image", "workflow-trigger", "notification"],
  ...["jenkins", "sql", "nacos", "apollo", "jira"],
];

/** The text of a workflow of a project that has nothing yet. */
export const newWorkflowText = (project: string): string =>
  `name: my-workflow\nproject: ${project}\nstages:\n  - name: first\n    jobs: []\n`;

/** A text with a stage more. */
export const withStage = (text: string): string =>
  changed(text, (document) => append(document, ["stages"], { name: freeName("stage", stageNames(text)), jobs: [] }));

/** A text with a job more at the end of a stage. @param stage from 0 */
export const withJob = (text: string, stage: number, type: string): string =>
  changed(text, (document) => {
    const taken = readWorkflow(text).stages.flatMap(({ jobs }) => jobs.map(({ name }) => name));
    append(document, ["stages", stage, "jobs"], { name: freeName("job", taken), type, spec: beginnings[type] ?? {} });
  });

/** A text without a stage, or without a job of it. @param job from 0 */
export const without = (text: string, stage: number, job?: number): string =>
  changed(text, (document) => document.deleteIn(["stages", stage, ...(job === undefined ? [] : ["jobs", job])]));

/** A text in which a stage is one place earlier. */
export const withStageEarlier = (text: string, stage: number): string =>
  changed(text, (document) => {
    const stages = document.getIn(["stages"], true);
    if (isSeq(stages)) stages.items.splice(stage - 1, 0, ...stages.items.splice(stage, 1));
  });

const stageNames = (text: string): string[] => readWorkflow(text).stages.map(({ name }) => name);

/** Changes the structure and keeps what else the text has, its comments too. */
function changed(text: string, change: (document: Document) => void): string {
  const document = parseDocument(text);
  change(document);
  return document.toString({ lineWidth: 0 });
}

function append(document: Document, path: (string | number)[], value: object): void {
  const list = document.getIn(path, true);
  if (isSeq(list)) {
    // An empty list is in brackets.
    list.flow = false;
    list.add(document.createNode(value));
  } else document.setIn(path, document.createNode([value]));
}

function freeName(word: string, taken: readonly string[]): string {
  for (let number = taken.length + 1; ; number++) if (!taken.includes(`${word}-${number}`)) return `${word}-${number}`;
}
