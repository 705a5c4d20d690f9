import { FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";
import * as z from "zod";

/** One version of a chart in an `index.yaml`. */
export interface IndexedChart {
  version: string;
  /** Absolute, or from the folder of the index. */
  urls: string[];
  /** SHA-256 of the packed chart, in hex; empty where the index does not say it. */
  digest: string;
}

export interface ChartIndex {
  /** Of ChartMuseum: what precedes the paths of its interface; empty for most. */
  contextPath: string;
  /** None for a chart that is not in it. */
  versionsOf(name: string): IndexedChart[];
}

const entry = z.object({
  version: z.string(),
  urls: z.array(z.string()).default([]),
  digest: z
    .string()
    .transform((text) => text.replace(/^sha256:/, "").toLowerCase())
    .catch(""),
});
const index = z.object({
  entries: z.record(z.string(), z.unknown()),
  serverInfo: z.object({ contextPath: z.string().catch("") }).catch({ contextPath: "" }),
});

/** @returns a sentence where the text is no index */
export function readChartIndex(text: string): ChartIndex | string {
  const read = index.safeParse(parsed(text));
  if (!read.success) return "has no entries of charts";
  const { entries, serverInfo } = read.data;
  return {
    contextPath: serverInfo.contextPath,
    versionsOf: (name) => {
      const versions = Object.hasOwn(entries, name) ? entries[name] : [];
      return (Array.isArray(versions) ? versions : []).flatMap((one) => {
        const known = entry.safeParse(one);
        return known.success ? [known.data] : [];
      });
    },
  };
}

/** Texts only: what looks like a number in an index is a version. */
function parsed(text: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA, json: true, maxDepth: 64 });
  } catch (error) {
    if (error instanceof YAMLException) return undefined;
    throw error;
  }
}
