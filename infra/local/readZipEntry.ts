import { inflateRawSync } from "node:zlib";

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const deflated = 8;

/**
 * The content of one file in a ZIP archive below 4 GB, inflated by zlib. @throws Error when the archive does not hold it
 */
export function readZipEntry(archive: Buffer, name: string): Buffer {
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== endOfDirectory) end -= 1;
  let at = end < 0 ? archive.length : archive.readUInt32LE(end + 16);
  while (at < end && archive.readUInt32LE(at) === directoryEntry) {
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + 46, at + 46 + nameLength) === name) return contentAt(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`the archive holds no ${name}`);
}

/** Sizes stand in the directory; the header before the content repeats name and extra field in lengths of its own. */
function contentAt(archive: Buffer, entry: number): Buffer {
  const header = archive.readUInt32LE(entry + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(start, start + archive.readUInt32LE(entry + 20));
  return archive.readUInt16LE(entry + 10) === deflated ? inflateRawSync(content) : content;
}
