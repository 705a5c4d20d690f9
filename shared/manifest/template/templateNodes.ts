/** The syntax tree of a template: the part of Go's text/template that contract P 11.1 names. */
export type TemplateNode =
  | { kind: "text"; text: string; undeclared?: UndeclaredVariable }
  | { kind: "action"; line: number; pipe: Pipe }
  | { kind: "if" | "with"; line: number; branches: Branch[]; otherwise: TemplateNode[] }
  | { kind: "range"; line: number; pipe: Pipe; body: TemplateNode[]; otherwise: TemplateNode[] }
  | { kind: "break" | "continue"; line: number };

/** Why an action is kept as text: it names a `$` variable that nothing declares. */
export interface UndeclaredVariable {
  /** With its `$`. */
  variable: string;
  line: number;
}

/** One `if`, `else if`, `with` or `else with` and what it guards. */
export interface Branch {
  pipe: Pipe;
  body: TemplateNode[];
}

/** `declared := command | command`; `assigns` tells `=` from `:=`. */
export interface Pipe {
  line: number;
  declared: string[];
  assigns: boolean;
  commands: Command[];
}

/** A first operand and its arguments; never empty. */
export interface Command {
  line: number;
  first: Operand;
  rest: Operand[];
}

/** A number as Go's untyped constant: bigint is an int, number a float64, `overflow` an integer beyond int64. */
export type NumberConstant = bigint | number | "overflow";

export type Operand =
  | { kind: "dot" }
  | { kind: "nil" }
  | { kind: "constant"; value: boolean | string | NumberConstant; text: string }
  | { kind: "field"; path: string[] }
  | { kind: "variable"; name: string; path: string[] }
  | { kind: "function"; name: string }
  | { kind: "pipe"; pipe: Pipe }
  | { kind: "chain"; of: Operand; path: string[] };
