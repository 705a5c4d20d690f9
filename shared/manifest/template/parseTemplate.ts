import { isBuiltin } from "./builtins.ts";
import { parseNumber, unquoteCharacter, unquoteString } from "./goLiteral.ts";
import { lexTemplate, type Token, type TokenKind } from "./lexTemplate.ts";
import { TemplateError } from "./templateError.ts";
import type { Branch, Command, Operand, Pipe, TemplateNode, UndeclaredVariable } from "./templateNodes.ts";

/** How deep blocks and parentheses may nest; it keeps the parser and the interpreter off the end of the stack. */
const MAX_DEPTH = 200;
const OPERAND_STARTS = new Set<TokenKind>([
  "bool",
  "character",
  "dot",
  "field",
  "identifier",
  "number",
  "nil",
  "string",
  "variable",
  "(",
]);

/**
 * Parses a template of contract P 11.1. Refuses what Go's text/template refuses, and with a clear text `define`,
 * `template` and `block`. An action with a `$` variable that nothing declares is left for another program to read, as
 * `{{ $labels.pod }}` of an alerting rule is: it stays as text, a block with its `else` and `end`. Throws a TemplateError of reason `syntax`, or `limit` when blocks nest deeper than 200.
 */
export function parseTemplate(source: string): TemplateNode[] {
  return new Parser(source).template();
}

class Parser {
  readonly #source: string;
  readonly #tokens: Token[];
  #at = 0;
  #depth = 0;
  #ranges = 0;
  /** How often each variable is declared in the open scopes. */
  readonly #declared = new Map<string, number>([["$", 1]]);
  readonly #scope: string[] = [];

  constructor(source: string) {
    this.#source = source;
    this.#tokens = lexTemplate(source);
  }

  template(): TemplateNode[] {
    const [nodes, end] = this.#list();
    if (end.kind !== "eof") this.#unexpected(end, "input");
    return nodes;
  }

  #peek(): Token {
    // The last token is always `eof` or `error`.
    return (
      this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] ?? { kind: "eof", text: "", line: 1, start: 0, end: 0 }
    );
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #peekNonSpace(): Token {
    while (this.#peek().kind === "space") this.#at++;
    return this.#peek();
  }

  #nextNonSpace(): Token {
    this.#peekNonSpace();
    return this.#next();
  }

  #fail(problem: string, token: Token = this.#peek()): never {
    throw new TemplateError("syntax", token.line, problem);
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind === "error") this.#fail(token.text, token);
    if (token.kind === "eof") this.#fail(`unexpected end of the template in ${context}`, token);
    this.#fail(`unexpected ${JSON.stringify(token.text.slice(0, 20))} in ${context}`, token);
  }

  #nested<T>(work: () => T): T {
    if (this.#depth >= MAX_DEPTH) {
      throw new TemplateError(
        "limit",
        this.#peek().line,
        `blocks and parentheses nest deeper than ${MAX_DEPTH} levels`,
      );
    }
    this.#depth++;
    const result = work();
    this.#depth--;
    return result;
  }

  /** Nodes up to `else`, `end` or the end of the text, which is returned beside them. */
  #list(): [TemplateNode[], Token] {
    const nodes: TemplateNode[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === "text") nodes.push({ kind: "text", text: token.text });
      else if (token.kind === "eof") return [nodes, token];
      else if (token.kind !== "open") this.#unexpected(token, "input");
      else {
        const word = this.#peekNonSpace();
        if (word.kind === "else" || word.kind === "end") return [nodes, this.#next()];
        const undeclared = this.#undeclared(word.line);
        if (undeclared === undefined) nodes.push(this.#action(word));
        else nodes.push(this.#asText(token, undeclared), ...this.#restAsText(word, undeclared));
      }
    }
  }

  /** The first variable of the action ahead that is declared neither before nor in it. */
  #undeclared(line: number): UndeclaredVariable | undefined {
    const declaredHere = new Set<string>();
    for (let at = this.#at; at < this.#tokens.length; at++) {
      const token = this.#tokens[at];
      if (token === undefined || token.kind === "close") return undefined;
      if (token.kind !== "variable") continue;
      const isSecond = this.#tokens[at - (this.#tokens[at - 1]?.kind === "space" ? 2 : 1)]?.text === ",";
      const after = this.#tokens[this.#tokens[at + 1]?.kind === "space" ? at + 2 : at + 1];
      if (isSecond || after?.text === "," || after?.kind === "declare" || after?.kind === "assign")
        declaredHere.add(token.text);
      if (!this.#declared.get(token.text) && !declaredHere.has(token.text)) return { variable: token.text, line };
    }
    return undefined;
  }

  /** The action that `open` begins, as it is written; the next token is the one behind it. */
  #asText(open: Token, undeclared?: UndeclaredVariable): TemplateNode {
    let token = this.#next();
    while (token.kind !== "close" && token.kind !== "eof" && token.kind !== "error") token = this.#next();
    if (token.kind !== "close") this.#unexpected(token, "command");
    return { kind: "text", text: this.#source.slice(open.start, token.end), ...(undeclared && { undeclared }) };
  }

  /** What belongs to a block that stays as text: its body, which is read as ever, and its `else` and `end`. */
  #restAsText(word: Token, undeclared: UndeclaredVariable): TemplateNode[] {
    if (word.kind !== "if" && word.kind !== "with" && word.kind !== "range") return [];
    return this.#scoped(() => {
      const nodes: TemplateNode[] = [];
      for (;;) {
        const [body, end] = this.#list();
        if (end.kind === "eof") this.#unexpected(end, `a block of ${undeclared.variable} without {{end}}`);
        const before = this.#tokens[this.#at - 2];
        const open = before?.kind === "space" ? this.#tokens[this.#at - 3] : before;
        nodes.push(...body, this.#asText(open ?? end));
        if (end.kind === "end") return nodes;
      }
    });
  }

  #action(word: Token): TemplateNode {
    const { line } = word;
    switch (word.kind) {
      case "if":
      case "with":
        this.#at++;
        return this.#scoped(() => this.#conditional(word.kind === "if" ? "if" : "with", line));
      case "range":
        this.#at++;
        return this.#scoped(() => this.#range(line));
      case "break":
      case "continue":
        this.#at++;
        this.#close(`{{${word.kind}}}`);
        if (this.#ranges === 0) this.#fail(`{{${word.kind}}} outside {{range}}`, word);
        return { kind: word.kind, line };
      case "define":
      case "template":
      case "block":
        return this.#fail(`{{${word.kind}}} is not supported; write the text where it is used`, word);
      default:
        return { kind: "action", line, pipe: this.#pipeline("command", "close") };
    }
  }

  #close(context: string): void {
    const token = this.#nextNonSpace();
    if (token.kind !== "close") this.#unexpected(token, context);
  }

  #scoped<T>(work: () => T): T {
    const mark = this.#scope.length;
    const result = this.#nested(work);
    for (const name of this.#scope.splice(mark)) this.#declared.set(name, (this.#declared.get(name) ?? 1) - 1);
    return result;
  }

  #conditional(kind: "if" | "with", line: number): TemplateNode {
    const branches: Branch[] = [];
    for (;;) {
      const pipe = this.#pipeline(kind, "close");
      const [body, end] = this.#list();
      branches.push({ pipe, body });
      if (end.kind === "else" && this.#peekNonSpace().kind === kind) this.#at++;
      else return { kind, line, branches, otherwise: this.#otherwise(end) };
    }
  }

  #range(line: number): TemplateNode {
    const pipe = this.#pipeline("range", "close");
    this.#ranges++;
    const [body, end] = this.#list();
    this.#ranges--;
    return { kind: "range", line, pipe, body, otherwise: this.#otherwise(end) };
  }

  /** What follows `else` up to `end`; nothing when the block ended already. */
  #otherwise(end: Token): TemplateNode[] {
    if (end.kind === "eof") this.#unexpected(end, "a block without {{end}}");
    this.#close(end.kind);
    if (end.kind === "end") return [];
    const [nodes, last] = this.#list();
    if (last.kind !== "end") this.#fail("expected {{end}}", last);
    this.#close("end");
    return nodes;
  }

  #pipeline(context: string, end: TokenKind): Pipe {
    const pipe: Pipe = { line: this.#peekNonSpace().line, declared: [], assigns: false, commands: [] };
    this.#declarations(pipe, context);
    for (;;) {
      const token = this.#peekNonSpace();
      if (token.kind === end) break;
      if (!OPERAND_STARTS.has(token.kind)) this.#unexpected(token, context);
      pipe.commands.push(this.#command());
    }
    if (pipe.commands.length === 0) this.#fail(`missing value for ${context}`);
    this.#at++;
    const literal = pipe.commands.slice(1).find(({ first }) => ["constant", "dot", "nil"].includes(first.kind));
    if (literal) this.#fail("a constant cannot take the value of the pipeline");
    return pipe;
  }

  #declarations(pipe: Pipe, context: string): void {
    for (;;) {
      const variable = this.#peekNonSpace();
      if (variable.kind !== "variable") return;
      const back = this.#at++;
      const next = this.#peekNonSpace();
      const isList = next.kind === "char" && next.text === ",";
      if (next.kind !== "declare" && next.kind !== "assign" && !isList) {
        this.#at = back;
        return;
      }
      this.#at++;
      pipe.declared.push(variable.text);
      this.#scope.push(variable.text);
      this.#declared.set(variable.text, (this.#declared.get(variable.text) ?? 0) + 1);
      if (!isList) {
        pipe.assigns = next.kind === "assign";
        return;
      }
      if (context !== "range" || pipe.declared.length > 1) this.#fail(`too many declarations in ${context}`);
      if (!["variable", "close", ")"].includes(this.#peekNonSpace().kind)) {
        this.#fail("range can only initialize variables");
      }
    }
  }

  #command(): Command {
    const { line } = this.#peekNonSpace();
    const operands: Operand[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand) operands.push(operand);
      const token = this.#next();
      if (token.kind === "space") continue;
      if (token.kind === "close" || token.kind === ")") this.#at--;
      else if (token.kind !== "pipe") this.#unexpected(token, "operand");
      break;
    }
    const [first, ...rest] = operands;
    return first ? { line, first, rest } : this.#fail("empty command");
  }

  #operand(): Operand | undefined {
    const token = this.#peek();
    const term = this.#term();
    if (!term || this.#peek().kind !== "field") return term;
    const path: string[] = [];
    while (this.#peek().kind === "field") path.push(this.#next().text.slice(1));
    switch (term.kind) {
      case "field":
      case "variable":
        return { ...term, path: [...term.path, ...path] };
      case "constant":
      case "nil":
      case "dot":
        return this.#fail(`unexpected . after term ${JSON.stringify(token.text)}`, token);
      default:
        return { kind: "chain", of: term, path };
    }
  }

  #term(): Operand | undefined {
    const token = this.#peek();
    if (!OPERAND_STARTS.has(token.kind)) return undefined;
    this.#at++;
    switch (token.kind) {
      case "dot":
      case "nil":
        return { kind: token.kind };
      case "field":
        return { kind: "field", path: [token.text.slice(1)] };
      case "variable":
        if (!this.#declared.get(token.text)) this.#fail(`undefined variable ${token.text}`, token);
        return { kind: "variable", name: token.text, path: [] };
      case "identifier":
        if (!isBuiltin(token.text)) this.#fail(undefinedFunction(token.text), token);
        return { kind: "function", name: token.text };
      case "(":
        return { kind: "pipe", pipe: this.#nested(() => this.#pipeline("parenthesized pipeline", ")")) };
      default:
        return { kind: "constant", value: this.#constant(token), text: token.text };
    }
  }

  #constant(token: Token): Extract<Operand, { kind: "constant" }>["value"] {
    if (token.kind === "bool") return token.text === "true";
    const read = { string: unquoteString, character: unquoteCharacter, number: parseNumber };
    const reader = token.kind === "string" || token.kind === "character" ? token.kind : "number";
    const value = read[reader](token.text);
    return value ?? this.#fail(`malformed ${reader} ${JSON.stringify(token.text.slice(0, 40))}`, token);
  }
}

function undefinedFunction(name: string): string {
  return `function ${name} is not defined; braces of another tool are kept as text when they are written as {{"{{"}}${name}{{"}}"}}`;
}
