import { openImageCopier } from "../../shared/packaging/images/copy/imageCopier.ts";
import { peakMemory } from "./peakMemory.ts";
import { placeIn } from "./testRegistry.ts";

/**
 * Copies in a process of its own: `node copyOnce.ts <from> <to> …`, all as `127.0.0.1:port/repository:tag`. Each copy has a
 * copier of its own; it tells of the last.
 */
async function copy(from: string, to: string) {
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  const copier = openImageCopier({ signal: new AbortController().signal });
  const { problem } = await copier.copy({ id: "copy", from: placeIn(from), to: placeIn(to) });
  copier.close();
  const milliseconds = performance.now() - startedAt;
  return { problem, milliseconds, grownBytes: peakMemory() - before };
}

const images = process.argv.slice(2);
let run: object | undefined;
for (let at = 0; at < images.length; at += 2) run = await copy(images[at] ?? "", images[at + 1] ?? "");
console.log(JSON.stringify(run));
