/** What one registry accepts; `startRegistry` uses `DEFAULT_LIMITS`, tests use small ones. */
export type Limits = {
  /** Largest manifest; the distribution specification asks for at least 4 MiB. */
  manifestBytes: number;
  blobBytes: number;
  /** Largest page of tags or repositories; longer lists carry a `Link` to the next page. */
  pageEntries: number;
  /** An upload that was not written to for so long is given up. */
  uploadIdleMilliseconds: number;
};

export const DEFAULT_LIMITS: Limits = {
  manifestBytes: 4 * 1024 ** 2,
  blobBytes: 32 * 1024 ** 3,
  pageEntries: 1000,
  uploadIdleMilliseconds: 60 * 60 * 1000,
};
