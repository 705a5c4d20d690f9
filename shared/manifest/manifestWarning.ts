/** What is taken although it is not as it should be, and how it is read. */
export interface ManifestWarning {
  code:
    | "undeclared_variable"
    | "undeclared_field"
    | "duplicate_key"
    | "duplicate_entry"
    | "namespace_left_out"
    | "foreign_placeholder";
  message: string;
  /** Counts from 1: of the text as it is rendered, for an undeclared variable as it was sent. */
  line: number;
}

const maxWarnings = 100;
const maxCharacters = 500;

/** The warnings that are kept: the first ones when there are too many. */
export function keptWarnings(warnings: readonly ManifestWarning[]): ManifestWarning[] {
  return warnings.slice(0, maxWarnings).map((one) => ({ ...one, message: one.message.slice(0, maxCharacters) }));
}
