import type { Budget } from "./budget.ts";
import { BuiltinError, builtin } from "./builtins.ts";
import { ComparisonError } from "./goCompare.ts";
import { printValue } from "./goFormat.ts";
import { fromData, GoByte, type GoValue, isList, isMap, isTrue, sortedKeys, typeName } from "./goValue.ts";
import { joined, type Origin, OWN, WHOLE } from "./origin.ts";
import { RenderedOutput } from "./renderedOutput.ts";
import { TemplateError } from "./templateError.ts";
import type { Command, NumberConstant, Operand, Pipe, TemplateNode } from "./templateNodes.ts";
import { VariableStack } from "./variableStack.ts";

/** A value, the variables it came from, and the path by which it was reached, for messages. */
interface Tracked {
  value: GoValue;
  from: Origin;
  path: string;
}

export interface ExecutionOptions {
  data: Readonly<Record<string, unknown>>;
  budget: Budget;
  /** Called for a key that has no value; it throws where that is an error. */
  onMissing(path: string, line: number): void;
}

type Signal = "next" | "break" | "continue";

const NOTHING: Tracked = { value: undefined, from: OWN, path: "" };

/** Runs parsed templates with the rules of Go's text/template, keeping account of where inserted text came from. */
export class Execution {
  readonly output: RenderedOutput;
  readonly #variables = new VariableStack<Tracked>();
  readonly #options: ExecutionOptions;
  readonly #budget: Budget;
  readonly #root: Tracked;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#budget = options.budget;
    this.#root = { value: options.data, from: WHOLE, path: "" };
    this.output = new RenderedOutput(options.budget, Object.keys(options.data));
    this.#variables.push("$", this.#root);
  }

  run(nodes: readonly TemplateNode[]): void {
    this.#walk(nodes, this.#root);
  }

  #fail(problem: string): never {
    throw new TemplateError("execution", this.#budget.line, problem);
  }

  #variable(name: string): Tracked {
    return this.#variables.get(name) ?? this.#fail(`undefined variable: ${name}`);
  }

  #assign(name: string, held: Tracked): void {
    if (!this.#variables.set(name, held)) this.#fail(`undefined variable: ${name}`);
  }

  // Nodes

  #walk(nodes: readonly TemplateNode[], dot: Tracked): Signal {
    for (const node of nodes) {
      this.#budget.step();
      const signal = this.#node(node, dot);
      if (signal !== "next") return signal;
    }
    return "next";
  }

  #node(node: TemplateNode, dot: Tracked): Signal {
    if (node.kind === "text") {
      this.output.write(node.text, OWN);
      return "next";
    }
    this.#budget.line = node.line;
    switch (node.kind) {
      case "action": {
        const result = this.#pipeline(dot, node.pipe);
        if (node.pipe.declared.length === 0) this.#print(result);
        return "next";
      }
      case "break":
      case "continue":
        return node.kind;
      case "range":
        return this.#range(node, dot);
      default:
        return this.#conditional(node, dot);
    }
  }

  #print(result: Tracked): void {
    const isNothing = result.value === undefined || result.value === null;
    this.output.write(isNothing ? "<no value>" : printValue(result.value, this.#budget), result.from);
  }

  #conditional(node: Extract<TemplateNode, { kind: "if" | "with" }>, dot: Tracked): Signal {
    const mark = this.#variables.mark;
    let signal: Signal | undefined;
    for (const { pipe, body } of node.branches) {
      const condition = this.#pipeline(dot, pipe);
      if (!isTrue(condition.value)) continue;
      signal = this.#walk(body, node.kind === "with" ? condition : dot);
      break;
    }
    signal ??= this.#walk(node.otherwise, dot);
    this.#variables.popTo(mark);
    return signal;
  }

  #range(node: Extract<TemplateNode, { kind: "range" }>, dot: Tracked): Signal {
    const mark = this.#variables.mark;
    const over = this.#pipeline(dot, node.pipe);
    let isEmpty = true;
    const bodyMark = this.#variables.mark;
    for (const [key, element] of this.#elements(over, node.pipe)) {
      isEmpty = false;
      this.#budget.step();
      this.#budget.line = node.line;
      this.#bind(node.pipe, key, element);
      const signal = this.#walk(node.body, element);
      this.#variables.popTo(bodyMark);
      if (signal === "break") break;
    }
    const signal = isEmpty ? this.#walk(node.otherwise, dot) : "next";
    this.#variables.popTo(mark);
    // As in Go, a break inside `else` ends this range only, a continue goes on with the range around it.
    return signal === "continue" ? "continue" : "next";
  }

  *#elements(over: Tracked, pipe: Pipe): Generator<[Tracked, Tracked]> {
    const { value, from, path } = over;
    if (value === undefined || value === null) return;
    if (typeof value === "bigint" || value instanceof GoByte) {
      if (pipe.declared.length > 1) this.#fail("a number gives only one variable to range");
      const end = value instanceof GoByte ? value.value : value;
      const wrap = (at: bigint): GoValue => (value instanceof GoByte ? new GoByte(Number(at)) : at);
      for (let at = 0n; at < end; at++) yield [NOTHING, { value: wrap(at), from, path }];
    } else if (isList(value)) {
      const elementPath = `${path}[]`;
      for (let at = 0; at < value.length; at++) {
        yield [
          { value: BigInt(at), from, path },
          { value: fromData(value[at]), from, path: elementPath },
        ];
      }
    } else if (isMap(value)) {
      const keys = sortedKeys(value);
      this.#budget.step(keys.length);
      for (const key of keys) {
        const origin = from === WHOLE ? [key] : from;
        yield [{ value: key, from: origin, path }, this.#entry(over, key, value[key])];
      }
    } else this.#fail(`range can't iterate over ${typeName(value)}`);
  }

  #bind({ declared: [first, second], assigns }: Pipe, key: Tracked, element: Tracked): void {
    if (first === undefined) return;
    if (assigns) {
      this.#assign(first, second === undefined ? element : key);
      if (second !== undefined) this.#assign(second, element);
      return;
    }
    this.#variables.setTop(1, element);
    if (second !== undefined) this.#variables.setTop(2, key);
  }

  // Pipelines

  #pipeline(dot: Tracked, pipe: Pipe): Tracked {
    let result: Tracked | undefined;
    for (const command of pipe.commands) {
      this.#budget.step();
      this.#budget.line = command.line;
      const value = this.#command(dot, command, result);
      result = value.value === null ? { ...value, value: undefined } : value;
    }
    const final = result ?? NOTHING;
    for (const name of pipe.declared) {
      if (pipe.assigns) this.#assign(name, final);
      else this.#variables.push(name, final);
    }
    return final;
  }

  #command(dot: Tracked, { first, rest }: Command, previous: Tracked | undefined): Tracked {
    if (first.kind === "function") return this.#call(dot, first.name, rest, previous);
    const hasArguments = rest.length > 0 || previous !== undefined;
    const takesFields =
      first.kind === "field" || first.kind === "chain" || (first.kind === "variable" && first.path[0]);
    if (hasArguments && !takesFields) this.#fail(`can't give an argument to ${describe(first)}, which is no function`);
    if (first.kind === "nil") this.#fail("nil is not a command");
    return this.#operand(dot, first, hasArguments);
  }

  #operand(dot: Tracked, operand: Operand, hasArguments = false): Tracked {
    switch (operand.kind) {
      case "dot":
        return dot;
      case "nil":
        return NOTHING;
      case "constant":
        return { value: this.#constant(operand.value), from: OWN, path: operand.text };
      case "field":
        return this.#fields(dot, operand.path, hasArguments);
      case "variable":
        return this.#fields(this.#variable(operand.name), operand.path, hasArguments);
      case "function":
        return this.#call(dot, operand.name, [], undefined);
      case "pipe":
        return this.#pipeline(dot, operand.pipe);
      case "chain":
        return this.#fields(this.#operand(dot, operand.of), operand.path, hasArguments);
    }
  }

  #constant(value: boolean | string | NumberConstant): GoValue {
    return value === "overflow" ? this.#fail("an integer constant overflows int") : value;
  }

  #fields(start: Tracked, path: readonly string[], hasArguments: boolean): Tracked {
    let at = start;
    path.forEach((name, position) => {
      this.#budget.step();
      at = this.#field(at, name, hasArguments && position === path.length - 1);
    });
    return at;
  }

  #field(receiver: Tracked, name: string, hasArguments: boolean): Tracked {
    const { value, from } = receiver;
    const path = receiver.path === "" ? name : `${receiver.path}.${name}`;
    if (value === undefined) {
      this.#options.onMissing(path, this.#budget.line);
      return { value: undefined, from, path };
    }
    if (value === null) this.#fail(`nil has no field ${path}`);
    if (!isMap(value))
      this.#fail(`can't take field ${name} of ${receiver.path || "a value"}, which is a ${typeName(value)}`);
    if (hasArguments) this.#fail(`${path} has arguments but is not a function`);
    if (!Object.hasOwn(value, name)) {
      this.#options.onMissing(path, this.#budget.line);
      return { value: undefined, from: from === WHOLE ? [name] : from, path };
    }
    return this.#entry(receiver, name, value[name]);
  }

  #entry(map: Tracked, key: string, value: unknown): Tracked {
    return {
      value: fromData(value),
      from: map.from === WHOLE ? [key] : map.from,
      path: map.path === "" ? key : `${map.path}.${key}`,
    };
  }

  // Functions

  #call(dot: Tracked, name: string, operands: readonly Operand[], previous: Tracked | undefined): Tracked {
    const count = operands.length + (previous ? 1 : 0);
    if (name === "and" || name === "or") return this.#choose(dot, name, operands, previous);
    const found = builtin(name) ?? this.#fail(`function ${name} is not defined`);
    if (count < found.least || count > found.most) {
      this.#fail(`wrong number of arguments for ${name}: ${found.least} wanted, ${count} given`);
    }
    const args = operands.map((operand) => {
      this.#budget.step();
      return this.#operand(dot, operand);
    });
    if (previous) args.push(previous);
    return { value: this.#invoke(name, args), from: this.#originOf(name, args), path: name };
  }

  #invoke(name: string, args: readonly Tracked[]): GoValue {
    try {
      return builtin(name)?.call(
        args.map(({ value }) => value),
        this.#budget,
      );
    } catch (error) {
      if (error instanceof BuiltinError || error instanceof ComparisonError) this.#fail(`${name}: ${error.message}`);
      throw error;
    }
  }

  #originOf(name: string, args: readonly Tracked[]): Origin {
    const [first, second] = args;
    const isLookup = name === "index" && first?.from === WHOLE && typeof second?.value === "string";
    let from = isLookup ? [String(second?.value)] : (first?.from ?? OWN);
    for (const arg of args.slice(1)) {
      from = joined(from, arg.from);
      this.#budget.step(from.length / 16);
    }
    return from;
  }

  /** `and` and `or` stop at the first operand that decides; the value of the pipeline is the last operand. */
  #choose(dot: Tracked, name: "and" | "or", operands: readonly Operand[], previous: Tracked | undefined): Tracked {
    if (operands.length === 0 && !previous) this.#fail(`wrong number of arguments for ${name}: 1 wanted, 0 given`);
    let result = NOTHING;
    for (const operand of operands) {
      this.#budget.step();
      result = this.#operand(dot, operand);
      if (isTrue(result.value) === (name === "or")) return result;
    }
    return previous ?? result;
  }
}

function describe(operand: Operand): string {
  if (operand.kind === "constant") return operand.text;
  if (operand.kind === "variable") return operand.name;
  return operand.kind === "dot" ? "." : operand.kind;
}
