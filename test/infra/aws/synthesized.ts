import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SlipwayStack } from "../../../infra/aws/slipwayStack.ts";

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
}

export interface Synthesized {
  app: App;
  /** Of both stacks: what is kept and what runs, with what the one exports in place of its imports. */
  template: Template;
}

let made: Synthesized | undefined;

/** The stack as `cdk synth` makes it with nothing chosen, without bundling the functions; made once a process. */
export function synthesized(): Synthesized {
  made ??= synthesizedWith({});
  return made;
}

/**
 * The same with options in its context. CDK's rules for any template are left out: they only warn, `cdk synth` has them,
 * and they take most of the time.
 */
export function synthesizedWith(context: Readonly<Record<string, unknown>>): Synthesized {
  process.env.CDK_VALIDATION = "false";
  const outdir = mkdtempSync(join(tmpdir(), "slipway-synthesized-"));
  try {
    // Helm's layer has 35 MB that would be copied for every stack.
    const made = { "aws:cdk:bundling-stacks": [], "aws:cdk:disable-asset-staging": true };
    const app = new App({ outdir, context: { ...made, ...context } });
    return { app, template: wholeTemplate(app, new SlipwayStack(app, "Slipway")) };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

interface Exporting {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
}

/** What CloudFormation comes to with all stacks of an app, as one template. */
export function wholeTemplate(app: App, stack: SlipwayStack): Template {
  const beside = app.node.children.filter((child): child is Stack => child instanceof Stack && child !== stack);
  const own = Template.fromStack(stack).toJSON() as Exporting;
  const others = beside.map((one) => Template.fromStack(one).toJSON() as Exporting);
  const exported = new Map(
    others.flatMap(({ Outputs = {} }) => Object.values(Outputs).map(({ Export, Value }) => [Export?.Name, Value])),
  );
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== "object" || value === null) return value;
    const name = (value as { "Fn::ImportValue"?: string })["Fn::ImportValue"];
    if (name !== undefined) return exported.get(name);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
  };
  const Resources = Object.assign({}, ...others.map((one) => one.Resources), own.Resources);
  return Template.fromJSON(resolved({ ...own, Resources }) as object);
}

export function resourcesOf(type?: string, { template } = synthesized()): Record<string, Resource> {
  const all = template.toJSON().Resources as Record<string, Resource>;
  return Object.fromEntries(Object.entries(all).filter(([, { Type }]) => type === undefined || Type === type));
}

/** A value of the template as text: joins joined, references in angle brackets without the hash in their names. */
export function readable(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(readable).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  const [[operation = "", operand] = []] = Object.entries(value);
  if (operation === "Ref") return `<${withoutHash(operand)}>`;
  if (operation === "Fn::GetAtt" && Array.isArray(operand)) return `<${operand.map(withoutHash).join(".")}>`;
  if (operation === "Fn::Join" && Array.isArray(operand)) return (operand[1] as unknown[]).map(readable).join("");
  return JSON.stringify(value);
}

function withoutHash(id: unknown): string {
  return String(id).replace(/[0-9A-F]{8}$/, "");
}
