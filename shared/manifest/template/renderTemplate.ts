import { Budget } from "./budget.ts";
import { Execution } from "./execute.ts";
import { parseTemplate } from "./parseTemplate.ts";
import type { Span } from "./renderedOutput.ts";
import { TemplateError } from "./templateError.ts";
import type { TemplateNode, UndeclaredVariable } from "./templateNodes.ts";

export { TemplateError } from "./templateError.ts";

/** Rendered text and what in it came from variables, in order; a value made from several has one span for each. */
export interface RenderedText extends SpannedText {
  /** What stayed as text, because it names variables that nothing declares. */
  undeclared: readonly UndeclaredVariable[];
}

export interface SpannedText {
  text: string;
  /** UTF-16 offsets in `text`; `variable` is the top-level key. */
  spans: readonly { start: number; end: number; variable: string }[];
}

export interface RenderOptions {
  /** What a key without value does: stop with an error (as Go's missingkey=error), or render `<no value>`. */
  missing?: "error" | "noValue";
  maxSteps?: number;
  /** Of the rendered text in UTF-8. */
  maxBytes?: number;
}

/** Decisions 4.4. */
export const MAX_STEPS = 1_000_000;
export const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Renders a template of contract P 11.1 as Go's text/template does, with `data` as dot. Values are inserted as text and
 * never rendered again (P 11.5). Integers that JavaScript holds exactly are Go's int, other numbers its float64.
 *
 * Throws a TemplateError: `syntax` where the template cannot be read, `execution` where Go fails too, `missing` naming
 * every key without value that the template asks for, `limit` beyond the limits (decisions 4.4).
 */
export function renderTemplate(
  source: string,
  data: Readonly<Record<string, unknown>>,
  options: RenderOptions = {},
): RenderedText {
  const nodes = parseTemplate(source);
  const isStrict = (options.missing ?? "error") === "error";
  const { pieces, spans, missing } = execute(nodes, data, options, isStrict);
  if (missing) throw missingError(nodes, data, options, missing);
  return { text: pieces.join(""), spans, undeclared: undeclaredIn(nodes) };
}

/** What of a template stays as text, because it names variables that nothing declares. */
export function undeclaredIn(nodes: readonly TemplateNode[]): UndeclaredVariable[] {
  return nodes.flatMap((node): UndeclaredVariable[] => {
    if (node.kind === "text") return node.undeclared === undefined ? [] : [node.undeclared];
    if (node.kind === "range") return undeclaredIn([...node.body, ...node.otherwise]);
    if (node.kind !== "if" && node.kind !== "with") return [];
    return undeclaredIn([...node.branches.flatMap(({ body }) => body), ...node.otherwise]);
  });
}

interface Outcome {
  pieces: readonly string[];
  spans: readonly Span[];
  /** The first missing key of a strict rendering. */
  missing?: MissingKey;
}

class MissingKey extends Error {
  readonly path: string;
  readonly line: number;

  constructor(path: string, line: number) {
    super(path);
    this.path = path;
    this.line = line;
  }
}

function execute(
  nodes: readonly TemplateNode[],
  data: Readonly<Record<string, unknown>>,
  { maxSteps = MAX_STEPS, maxBytes = MAX_BYTES }: RenderOptions,
  isStrict: boolean,
  onMissing: (path: string) => void = () => {},
): Outcome {
  const execution = new Execution({
    data,
    budget: new Budget(maxSteps, maxBytes),
    onMissing(path, line) {
      onMissing(path);
      if (isStrict) throw new MissingKey(path, line);
    },
  });
  try {
    execution.run(nodes);
  } catch (error) {
    if (error instanceof MissingKey) return { pieces: [], spans: [], missing: error };
    throw error;
  }
  return execution.output;
}

/** Runs the template once more without stopping at missing keys, so that one error names them all. */
function missingError(
  nodes: readonly TemplateNode[],
  data: Readonly<Record<string, unknown>>,
  options: RenderOptions,
  { path, line }: MissingKey,
): TemplateError {
  const names = new Set([path]);
  try {
    execute(nodes, data, options, false, (name) => names.add(name));
  } catch (error) {
    // The keys found so far are what can be told; a template that fails for another reason too is told so next time.
    if (!(error instanceof TemplateError)) throw error;
  }
  return new TemplateError("missing", line, `missing keys [${[...names].join(", ")}]`, [...names]);
}
