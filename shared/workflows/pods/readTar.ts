const blockBytes = 512;

/** The regular files of a tar archive; links, folders and other entries are left out. @throws Error for no archive */
export function* readTar(archive: Buffer): Generator<{ name: string; content: Buffer }> {
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const sizeBytes = Number.parseInt(header.toString("latin1", 124, 136).replace(/\0.*$/, "").trim(), 8);
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw new Error("the archive of the report is broken");
    const from = at + blockBytes;
    const type = header.toString("latin1", 156, 157);
    if (type === "0" || type === "\0")
      yield {
        name: header.toString("utf8", 0, 100).replace(/\0.*$/s, ""),
        content: archive.subarray(from, from + sizeBytes),
      };
    at = from + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
}
