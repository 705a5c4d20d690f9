import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { openImageCopier } from "../../shared/packaging/images/copy/imageCopier.ts";
import type { UploadNotes } from "../../shared/packaging/images/copy/uploadNotes.ts";
import { placeIn } from "./testRegistry.ts";

/**
 * Copies in a process of its own that may be killed: `node copyWithNotes.ts <from> <to> <file of notes> <bytes of a chunk> [again]`.
 * The next one goes on by the same notes. Prints how it ended.
 */
const [from = "", to = "", file = "", chunkBytes = "", again] = process.argv.slice(2);

const read = (): Record<string, string> => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
const notes: UploadNotes = {
  find: async (blob) => read()[blob],
  note: async (blob, place) => {
    writeFileSync(`${file}.new`, JSON.stringify({ ...read(), [blob]: place }));
    renameSync(`${file}.new`, file);
  },
};

const copier = openImageCopier({ signal: new AbortController().signal, chunkBytes: Number(chunkBytes), notes });
const begun = again !== undefined;
const outcome = await copier.copy({ id: "copy", from: placeIn(from), to: placeIn(to), begun });
copier.close();
console.log(JSON.stringify(outcome));
