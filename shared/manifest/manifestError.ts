/** What is wrong with a manifest: its YAML, an object in it, or its size. */
export type ManifestErrorReason = "syntax" | "object" | "limit";

/** Where in a text of several documents a problem is; both count from 1. */
export interface ManifestPlace {
  document?: number;
  line?: number;
}

/** Manifest text that cannot become Kubernetes objects. The message tells the document, the line and what would be right. */
export class ManifestError extends Error {
  readonly reason: ManifestErrorReason;
  readonly document?: number;
  readonly line?: number;

  constructor(reason: ManifestErrorReason, problem: string, { document, line }: ManifestPlace = {}) {
    const place = [document && `document ${document}`, line && `line ${line}`].filter(Boolean).join(", ");
    super(place ? `${place}: ${problem}` : problem);
    this.name = "ManifestError";
    this.reason = reason;
    if (document !== undefined) this.document = document;
    if (line !== undefined) this.line = line;
  }
}
