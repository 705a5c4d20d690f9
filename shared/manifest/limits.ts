/** Bounds on YAML text, by decisions 4.4. */
export interface ManifestLimits {
  /** Of the text in UTF-8. */
  maxBytes: number;
  maxDocuments: number;
  maxObjects: number;
  /** Nested collections, aliases followed. */
  maxDepth: number;
  maxAliases: number;
  /** Values of one document (keys not counted), each alias counted as all that it stands for. */
  maxNodes: number;
}

/** For rendered text; what is stored may have half the bytes. */
export const RENDERED_LIMITS: ManifestLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDocuments: 1000,
  maxObjects: 1000,
  maxDepth: 64,
  maxAliases: 100,
  maxNodes: 10_000,
};

/** The most bytes of service YAML as it is stored. */
export const STORED_BYTES = 2 * 1024 * 1024;
