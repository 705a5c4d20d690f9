/** Bounds on YAML text, by decisions 4.4. */
export interface ManifestLimits {
  /** Of the text in UTF-8. */
  maxBytes: number;
  maxDocuments: number;
  maxObjects: number;
  /** Nested collections, aliases followed. */
  maxDepth: number;
  maxAliases: number;
  /** Values of one document (keys not counted), each alias counted as all that it refers to. */
  maxNodes: number;
  /** What the aliases of one document add to its values. */
  maxAliasNodes: number;
  /**
   * Which integers are taken: those that a number of JavaScript holds, those of 64 bits as Kubernetes has them, or any, of
   * which the larger ones become the nearest number.
   */
  integers: "safe" | "64 bits" | "any";
}

/** For rendered text; what is stored may have half the bytes. */
export const RENDERED_LIMITS: ManifestLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDocuments: 1000,
  maxObjects: 1000,
  maxDepth: 64,
  maxAliases: 100,
  maxNodes: 500_000,
  maxAliasNodes: 10_000,
  integers: "64 bits",
};

/**
 * For what Helm rendered, and for texts of ours that hold it: Helm decides how much that may be (decisions 20.4). It
 * writes no aliases; bytes are bounded where they are received.
 */
export const HELM_LIMITS: ManifestLimits = {
  ...RENDERED_LIMITS,
  ...{ maxBytes: 64 * 1024 * 1024, maxDocuments: 100_000, maxObjects: 100_000, maxDepth: 1000, maxNodes: 10_000_000 },
  integers: "any",
};

/** The most bytes of service YAML as it is stored. */
export const STORED_BYTES = 2 * 1024 * 1024;
