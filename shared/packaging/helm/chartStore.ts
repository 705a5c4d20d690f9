import { readStoredBytes, storeBytes } from "../../base/aws/objects/objectStore.ts";
import type { Chart } from "./readArchive.ts";

/** A chart that is kept: its files never change under its digest. */
export interface ChartRef {
  /** SHA-256 of the archive. */
  digest: string;
  name: string;
  version: string;
}

const keyOf = (digest: string): string => `text/chart-${digest}.tgz`;

/** Keeps the archive under its digest; keeping it twice changes nothing. */
export async function storeChart({ digest, name, version, archive }: Chart): Promise<ChartRef> {
  await storeBytes(keyOf(digest), archive, "application/gzip");
  return { digest, name, version };
}

export function readStoredChart({ digest }: Pick<ChartRef, "digest">): Promise<Buffer> {
  return readStoredBytes(keyOf(digest));
}
