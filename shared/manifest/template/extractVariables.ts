import type { ServiceVariable } from "../variables/serviceVariable.ts";
import { parseTemplate } from "./parseTemplate.ts";
import type { Command, Operand, Pipe, TemplateNode } from "./templateNodes.ts";
import { VariableShape } from "./variableShape.ts";

const COMPARISONS = new Set(["eq", "ne", "lt", "le", "gt", "ge"]);

/** A shape, or undefined for what does not come from the variables. */
type Shape = VariableShape | undefined;

/**
 * The variables that a service YAML reads (contract P 12.1), in the order in which they appear: one for each top-level
 * name, of type yaml with what is read of it when fields, items or a range are taken, else of type string with an empty
 * default, or 0 when it is compared with a number; compared with true or false it is a bool.
 * Throws a TemplateError when the template cannot be read.
 */
export function extractVariables(source: string): ServiceVariable[] {
  const root = new VariableShape();
  new Reading(root).nodes(parseTemplate(source), root);
  return [...root.fields].map(([key, shape]) => ({ key, ...shape.default(), options: [], desc: "" }));
}

class Reading {
  readonly #locals: [string, Shape][];

  constructor(root: VariableShape) {
    this.#locals = [["$", root]];
  }

  nodes(nodes: readonly TemplateNode[], dot: Shape): void {
    for (const node of nodes) {
      if (node.kind === "action") this.#pipe(node.pipe, dot);
      else if (node.kind === "range") this.#scoped(() => this.#range(node, dot));
      else if (node.kind === "if" || node.kind === "with") this.#scoped(() => this.#conditional(node, dot));
    }
  }

  #scoped(work: () => void): void {
    const mark = this.#locals.length;
    work();
    this.#locals.length = mark;
  }

  #conditional(node: Extract<TemplateNode, { kind: "if" | "with" }>, dot: Shape): void {
    for (const { pipe, body } of node.branches) {
      const shape = this.#pipe(pipe, dot);
      this.nodes(body, node.kind === "with" ? shape : dot);
    }
    this.nodes(node.otherwise, dot);
  }

  #range(node: Extract<TemplateNode, { kind: "range" }>, dot: Shape): void {
    const shape = this.#pipe(node.pipe, dot);
    shape?.ranged();
    // What is read of an element asks nothing of the default, because an empty list has none.
    for (let left = node.pipe.declared.length; left > 0; left--) {
      const local = this.#locals.at(-left);
      if (local) local[1] = new VariableShape();
    }
    this.nodes(node.body, new VariableShape());
    this.nodes(node.otherwise, dot);
  }

  #pipe(pipe: Pipe, dot: Shape): Shape {
    const [first, ...rest] = pipe.commands;
    let shape = first && this.#command(first, dot, []);
    for (const command of rest) shape = this.#command(command, dot, [shape]);
    for (const name of pipe.declared) {
      if (!pipe.assigns) this.#locals.push([name, shape]);
    }
    return shape;
  }

  #command({ first, rest }: Command, dot: Shape, piped: readonly Shape[]): Shape {
    if (first.kind !== "function") {
      for (const operand of rest) this.#operand(operand, dot);
      return this.#operand(first, dot);
    }
    const shapes = [...rest.map((operand) => this.#operand(operand, dot)), ...piped];
    if (COMPARISONS.has(first.name)) compare(rest, shapes);
    return first.name === "index" ? indexed(rest, shapes[0]) : undefined;
  }

  #operand(operand: Operand, dot: Shape): Shape {
    switch (operand.kind) {
      case "dot":
        return dot;
      case "field":
        return dot?.at(operand.path);
      case "variable":
        return this.#locals.findLast(([name]) => name === operand.name)?.[1]?.at(operand.path);
      case "pipe":
        return this.#pipe(operand.pipe, dot);
      case "chain":
        return this.#operand(operand.of, dot)?.at(operand.path);
      default:
        return undefined;
    }
  }
}

function compare(operands: readonly Operand[], shapes: readonly Shape[]): void {
  const constant = operands.find((operand) => operand.kind === "constant")?.value;
  if (typeof constant === "string" || constant === undefined) return;
  for (const shape of shapes) shape?.comparedWith(typeof constant === "boolean" ? false : 0);
}

function indexed(operands: readonly Operand[], from: Shape): Shape {
  return operands.slice(1).reduce<Shape>((shape, operand) => {
    if (operand.kind !== "constant") return undefined;
    if (typeof operand.value === "string") return shape?.field(operand.value);
    return typeof operand.value === "bigint" ? shape?.item(Number(operand.value)) : undefined;
  }, from);
}
