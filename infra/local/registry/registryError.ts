/** The error codes of the OCI distribution specification 1.1 that this registry answers with. */
const STATUS = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DENIED: 403,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 400,
  UNAUTHORIZED: 401,
  /** Not of the specification, as for other registries: a failure of ours. */
  UNKNOWN: 500,
  UNSUPPORTED: 400,
};

export type RegistryErrorCode = keyof typeof STATUS;

/** A refusal that the client is told: one code, one text, one entry per detail, and the status it is sent with. */
export class RegistryError extends Error {
  readonly code: RegistryErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly details: readonly unknown[];

  constructor(
    code: RegistryErrorCode,
    message: string,
    more: { status?: number; headers?: Record<string, string>; details?: readonly unknown[] } = {},
  ) {
    super(message);
    this.code = code;
    this.status = more.status ?? STATUS[code];
    this.headers = more.headers ?? {};
    this.details = more.details ?? [];
  }

  /** The body that the specification prescribes. */
  body(): { errors: { code: RegistryErrorCode; message: string; detail?: unknown }[] } {
    const plain = { code: this.code, message: this.message };
    return { errors: this.details.length === 0 ? [plain] : this.details.map((detail) => ({ ...plain, detail })) };
  }
}
