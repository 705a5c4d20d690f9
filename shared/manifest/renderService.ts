import { blameVariables } from "./blameVariables.ts";
import { replaceImages } from "./containers.ts";
import { joinDocuments } from "./edit/documents.ts";
import { editManifestDocument } from "./edit/editManifest.ts";
import { checkInsertedKeys, checkInsertedLines, InsertionError } from "./edit/insertionRule.ts";
import { type RenderContext, replaceContext } from "./edit/replaceContext.ts";
import { SpanIndex } from "./edit/spanIndex.ts";
import { RENDERED_LIMITS, STORED_BYTES } from "./limits.ts";
import { ManifestError } from "./manifestError.ts";
import { keptWarnings, type ManifestWarning } from "./manifestWarning.ts";
import { type ManifestDocument, parseDocuments } from "./parseManifest.ts";
import type { KubeObject } from "./schema/kubeObject.ts";
import { MAX_BYTES, MAX_STEPS, renderTemplate, type SpannedText, TemplateError } from "./template/renderTemplate.ts";
import type { UndeclaredVariable } from "./template/templateNodes.ts";
import type { ServiceVariable } from "./variables/serviceVariable.ts";
import { templateData, VariableError } from "./variables/templateData.ts";

export type { RenderContext } from "./edit/replaceContext.ts";

/** Which part refused: the template, a variable (its value, or that it has none), the manifest, or a limit. */
export type RenderErrorReason = "template" | "variable" | "manifest" | "limit";

/** Service YAML that cannot become objects; the message is meant for the caller. */
export class RenderError extends Error {
  readonly reason: RenderErrorReason;
  /** The variables at fault; for missing keys their paths as the template asks for them. */
  readonly variables?: readonly string[];

  constructor(
    reason: RenderErrorReason,
    problem: string,
    options: { variables?: readonly string[]; cause?: Error } = {},
  ) {
    super(problem, options.cause ? { cause: options.cause } : {});
    this.name = "RenderError";
    this.reason = reason;
    if (options.variables) this.variables = options.variables;
  }
}

export interface RenderServiceInput {
  /** As stored, with placeholders. */
  yaml: string;
  variables: readonly ServiceVariable[];
  /** Where the service goes; without it `$Namespace$` and the like stay. */
  context?: RenderContext;
  /** Images by container name; they replace those of the YAML (P 11.7). */
  images?: Readonly<Record<string, string>>;
  /** Whether a key without value is an error (P 11.2); if not it renders as `<no value>`. */
  strict: boolean;
}

/** A service as it would be applied. */
export interface RenderedService {
  /** Images filled in, documents joined by `---`, CRLF as LF. */
  text: string;
  objects: KubeObject[];
  warnings: ManifestWarning[];
}

/**
 * The one way from service YAML to objects (contract P 11, decisions 4.4 and 5.9): template, `$Namespace$` and the like,
 * rules for what values may insert, documents, images. Throws a RenderError.
 */
export function renderService(input: RenderServiceInput): RenderedService {
  try {
    const { documents, warnings } = renderDocuments(input);
    const images = input.images ?? {};
    return {
      text: joinDocuments(documents.map((document) => textWithImages(document, images))),
      objects: replaceImages(
        documents.flatMap(({ objects }) => objects),
        images,
      ),
      warnings: keptWarnings(warnings),
    };
  } catch (error) {
    throw toRenderError(error);
  }
}

function renderDocuments({ yaml, variables, context, strict }: RenderServiceInput): {
  documents: ManifestDocument[];
  warnings: ManifestWarning[];
} {
  const bytes = Buffer.byteLength(yaml);
  if (bytes > STORED_BYTES) {
    throw new RenderError("limit", `the YAML has ${bytes} bytes; at most ${STORED_BYTES} are allowed`);
  }
  const rendered = renderTemplate(yaml.replaceAll("\r\n", "\n"), templateData(variables), {
    missing: strict ? "error" : "noValue",
    maxSteps: MAX_STEPS,
    maxBytes: MAX_BYTES,
  });
  const documents = readRendered(context ? replaceContext(rendered, context) : rendered, variables);
  const warnings = [
    ...rendered.undeclared.map(undeclaredWarning),
    ...documents.flatMap((document) => document.warnings),
  ];
  return { documents, warnings };
}

export function undeclaredWarning({ variable, line }: UndeclaredVariable): ManifestWarning {
  const message = `nothing declares the variable ${variable}, so its action is kept as text`;
  return { code: "undeclared_variable", message, line };
}

function readRendered({ text, spans }: SpannedText, variables: readonly ServiceVariable[]): ManifestDocument[] {
  const free = new Set(variables.filter(({ type }) => type === "yaml").map(({ key }) => key));
  const checked = new SpanIndex(spans.filter(({ variable }) => !free.has(variable)));
  checkInsertedLines(text, checked);
  try {
    const limits = { ...RENDERED_LIMITS, maxBytes: MAX_BYTES };
    return parseDocuments(text, limits, (source, start) => checkInsertedKeys(source, start, checked));
  } catch (error) {
    throw error instanceof ManifestError ? (blameVariables(error, text, checked) ?? error) : error;
  }
}

function toRenderError(error: unknown): unknown {
  if (error instanceof VariableError || error instanceof InsertionError) {
    return new RenderError("variable", error.message, { variables: error.variables, cause: error });
  }
  if (error instanceof TemplateError) {
    const reason = error.reason === "limit" ? "limit" : error.reason === "missing" ? "variable" : "template";
    return new RenderError(reason, error.message, {
      ...(error.missingKeys ? { variables: error.missingKeys } : {}),
      cause: error,
    });
  }
  if (error instanceof ManifestError) {
    return new RenderError(error.reason === "limit" ? "limit" : "manifest", error.message, { cause: error });
  }
  return error;
}

/** A document's text with images set by container name (contract P 11.7); see `editDocument` for what else stays. */
function textWithImages(document: ManifestDocument, images: Readonly<Record<string, string>>): string {
  return editManifestDocument(document, (object) => replaceImages([object], images)[0] ?? object);
}
