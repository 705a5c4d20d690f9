import { variablesIn } from "../../base/common/placeholders.ts";
import { plainText, type Tree, treesOf } from "../../manifest/tree.ts";
import { kind as freestyle } from "../jobs/freestyle/kind.ts";
import { kind as notification } from "../jobs/notification/kind.ts";
import type { WorkflowDefinition, WorkflowJob } from "./definition.ts";
import { jobKindOf } from "./jobKinds.ts";
import { placedJobs } from "./placedJobs.ts";
import { refusalOf } from "./refusal.ts";

/** What is taken although it may not do what its author means. */
export interface DefinitionWarning {
  code: "job_kind_not_run" | "unknown_variable" | "carriage_returns";
  /** Names the field. */
  message: string;
  /** Always 0: the field says where, and a definition that came as JSON has no lines. */
  line: 0;
}

/** A definition may hold a thousand of a kind; an answer stays readable. */
const mostWarnings = 100;

/** What of a definition may be meant and may be a mistake (decisions 19.2, 19.9). Pure. */
export function definitionWarnings(definition: WorkflowDefinition): DefinitionWarning[] {
  const kinds = placedJobs(definition.stages).flatMap(({ job, path }) => kindWarnings(job, path));
  return [...kinds, ...textWarnings(definition)].slice(0, mostWarnings);
}

function kindWarnings(job: WorkflowJob, path: string): DefinitionWarning[] {
  const warning = (field: string, what: string): DefinitionWarning[] => [
    { code: "job_kind_not_run", message: `${path}.${field}: job ${job.name} ${what}`, line: 0 },
  ];
  if (jobKindOf(job.type) === undefined)
    return warning("type", `is of type ${job.type}, which cannot be run here: a start that reaches it is refused`);
  const spec: Tree = job.spec ?? {};
  if (job.type === notification.type && spec.webhook_type === "webhook")
    return warning("spec.webhook_type", "cannot send to webhook: use one of the chat types or mail");
  if (job.type !== freestyle.type) return [];
  const [place = {}] = treesOf([spec.runtime ?? spec.properties]);
  const scriptType = plainText(spec.script_type);
  const refusal = refusalOf({ infrastructure: plainText(place.infrastructure), scriptType });
  return refusal === ""
    ? []
    : warning(scriptType && scriptType !== "shell" ? "spec.script_type" : "spec", `fails: ${refusal}`);
}

/** Every text of the definition, with the path of its field. */
function textsIn(value: unknown, path: string): { text: string; path: string }[] {
  if (typeof value === "string") return [{ text: value, path }];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, `${path}[${at}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, path === "" ? key : `${path}.${key}`));
}

const scriptField = /\.(?:script|scripts\[\d+\]|build_script|prelaunch_script)$/;

function textWarnings(definition: WorkflowDefinition): DefinitionWarning[] {
  const reason = reasonFinder(definition);
  return textsIn(definition, "").flatMap(({ text, path }): DefinitionWarning[] => {
    const unknown = variablesIn(text).flatMap(({ path: name, at }): DefinitionWarning[] => {
      const why = reason(name);
      if (why === undefined) return [];
      const message = `${placeOf(path, text, at)}: {{.${name}}} will be empty: ${why}`;
      return [{ code: "unknown_variable", message, line: 0 }];
    });
    const at = scriptField.test(path) ? text.indexOf("\r\n") : -1;
    if (at < 0) return unknown;
    const message = `${placeOf(path, text, at)}: lines end with CR LF; the script runs with LF alone`;
    return [...unknown, { code: "carriage_returns", message, line: 0 }];
  });
}

/** The field, and in a text of several lines which of them. */
function placeOf(path: string, text: string, at: number): string {
  return text.includes("\n") ? `${path}, line ${text.slice(0, at).split("\n").length}` : path;
}

const fixedNames: readonly string[] = [
  ...["project", "project.id", "project.name", "workflow.id", "workflow.name"],
  ...["id", "timestamp", "datetime", "url", "creator", "creator.id", "creator.userId", "is_release_plan_trigger"].map(
    (name) => `workflow.task.${name}`,
  ),
  // Of rules for tags alone, where a job copies images.
  ...["workflow.input.imageTag", "job.preBuild.imageTag", "job.preJob.imageTag"],
];

/** Why a variable would be empty for sure; undefined for one that may have a value. */
function reasonFinder({ params, stages }: WorkflowDefinition): (path: string) => string | undefined {
  const paramTypes = new Map(params.map(({ name, type }) => [name, type ?? ""]));
  const jobs = new Map(stages.flatMap((stage) => stage.jobs).map((job) => [job.name, job]));
  return (path) => {
    const [root = "", ...rest] = path.split(".");
    if (root === "payload" || root === "credential" || fixedNames.includes(path)) return undefined;
    if (path.startsWith("workflow.params.")) return paramReason(path.slice("workflow.params.".length), paramTypes);
    if (root !== "job") return `${root} has no ${rest.join(".")}`;
    const [name = "", ...key] = rest;
    const job = jobs.get(name);
    if (job === undefined) return `the workflow has no job ${name}`;
    return outputReason(job, key);
  };
}

function paramReason(name: string, types: ReadonlyMap<string, string>): string | undefined {
  const type = types.get(name);
  if (type === undefined) return `the workflow has no parameter ${name}`;
  return type === "repo" || type === "file" ? `parameters of type ${type} have no text` : undefined;
}

/** What a script gives is declared; what other kinds give depends on what is chosen. */
function outputReason({ name, type, spec }: WorkflowJob, key: readonly string[]): string | undefined {
  if (key.length === 0) return `name what of job ${name} is meant, as output.<NAME> or status`;
  const [output, declared] = key.length === 2 && key[0] === "output" ? [key[1] ?? "", outputsOf(spec ?? {})] : [];
  if (type !== freestyle.type || output === undefined || declared?.includes(output)) return undefined;
  return `job ${name} declares no output ${output}`;
}

function outputsOf(spec: Tree): unknown[] {
  return ["advanced_setting", "advanced_settings", "properties"]
    .flatMap((form) => treesOf([spec[form]]))
    .concat(spec)
    .flatMap(({ outputs }) => treesOf(outputs).map(({ name }) => name));
}
