import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import { type ParsedTarEntryWithData, packTar, unpackTar } from "modern-tar";
import type * as z from "zod";
import { HELM_LIMITS, RENDERED_LIMITS } from "../../manifest/limits.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { dumpYaml, readYaml, yamlValue } from "../../manifest/parseYaml.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { ChartProblem } from "./chartProblem.ts";
import { type ChartDependency, chartHeadSchema, chartLockSchema } from "./rules/chartHead.ts";

/** A chart whose archive was looked through. */
export interface Chart {
  /** SHA-256 of `archive`. */
  digest: string;
  name: string;
  version: string;
  /** Rewritten: the same files make the same bytes, and nothing but files is in it; packed charts in it are unpacked. */
  archive: Buffer;
  /** Its `values.yaml`. */
  values: string;
}

export const maxArchiveBytes = 3 * 1024 * 1024;
const maxUnpackedBytes = 100 * 1024 * 1024;
const maxFiles = 2000;

const unzip = promisify(gunzip);
const zip = promisify(gzip);

/**
 * Reads a packed chart in memory; nothing of it reaches a disk before it is known to hold plain files only.
 * @param bring brings what the chart needs and does not hold, packed; its files count for the limits as well
 * @throws ChartProblem for what is no chart, holds links or paths that lead out of it, or is too large
 */
export async function readArchive(
  packed: Buffer,
  bring: (missing: ChartDependency) => Promise<Buffer> = nothingElse,
): Promise<Chart> {
  if (packed.length > maxArchiveBytes)
    throw new ChartProblem(`the archive has ${packed.length} bytes; a chart may have at most ${maxArchiveBytes}`);
  const within = { files: 0, bytes: 0 };
  const files = await filesOf(packed, within);
  const head = chartHead(files.get("Chart.yaml"));
  for (const [position, missing] of missingDependencies(head, files).entries()) {
    const brought = await filesOf(await bring(missing), within);
    for (const [path, content] of brought) files.set(`charts/${missing.name}-${position}/${path}`, content);
  }
  const archive = await packedAgain(head.name, files);
  if (archive.length > maxArchiveBytes)
    throw new ChartProblem(`the files of the chart have more than ${maxArchiveBytes} bytes when packed`);
  return {
    digest: createHash("sha256").update(archive).digest("hex"),
    name: head.name,
    version: head.version,
    archive,
    values: files.get("values.yaml")?.toString("utf8") ?? "",
  };
}

/** The chart without its templates; undefined when neither it nor a chart in it brings kinds in `crds/`. */
export async function withoutTemplates(archive: Buffer): Promise<Buffer | undefined> {
  const files = await filesOf(archive);
  if (![...files.keys()].some((path) => /^(charts\/[^/]+\/)*crds\//.test(path))) return undefined;
  const left = [...files].filter(([path]) => !/^(charts\/[^/]+\/)*templates\//.test(path));
  return packedAgain(chartHead(files.get("Chart.yaml")).name, new Map(left));
}

/**
 * How many bytes Helm stores of a chart and of values in the record of a release: the chart's own templates, files, values and
 * schema, not those of the charts in it, packed and as base64.
 * @throws ChartProblem for what is no chart
 */
export async function storedBytes(archive: Buffer, config: Readonly<Record<string, unknown>>): Promise<number> {
  const files = [...(await filesOf(archive))].filter(([path]) => !path.startsWith("charts/") && path !== "Chart.lock");
  const stored = files.filter(([path]) => path !== "values.yaml");
  const record = {
    chart: {
      values: valuesOf(files.find(([path]) => path === "values.yaml")?.[1]),
      files: stored.map(([name, content]) => ({ name, data: content.toString("base64") })),
    },
    config,
  };
  const packed = await zip(JSON.stringify(record), { level: constants.Z_BEST_COMPRESSION });
  return Math.ceil(packed.length / 3) * 4;
}

/** Without comments, as Helm stores them; a text that is no YAML as it is. */
function valuesOf(content: Buffer | undefined): unknown {
  const text = content?.toString("utf8") ?? "";
  try {
    const source = readYaml(text, {}, HELM_LIMITS);
    return source.tree === undefined ? {} : yamlValue(source);
  } catch (error) {
    if (error instanceof ManifestError) return text;
    throw error;
  }
}

export interface ChartNaming {
  name: string;
  version: string;
  /** The whole `values.yaml`. */
  values: string;
}

/**
 * The same chart under a name and a version, which its application has as well, with these values (contract D 1.11).
 * @throws ChartProblem where it gets too large
 */
export async function renamedChart(archive: Buffer, { name, version, values }: ChartNaming): Promise<Chart> {
  const files = await filesOf(archive);
  const head = { ...rawHead(files), name, version, appVersion: version };
  files.set("Chart.yaml", Buffer.from(dumpYaml(head)));
  files.set("values.yaml", Buffer.from(values));
  return readArchive(await packedAgain(name, files));
}

/** What the `Chart.yaml` of a packed chart says, unchanged. @throws ChartProblem */
export async function readChartHead(archive: Buffer): Promise<Record<string, unknown>> {
  return rawHead(await filesOf(archive));
}

function rawHead(files: ReadonlyMap<string, Buffer>): Record<string, unknown> {
  const source = readYaml(files.get("Chart.yaml")?.toString("utf8") ?? "", {}, RENDERED_LIMITS);
  const value = source.tree === undefined ? undefined : yamlValue(source);
  if (!isRecord(value)) throw new ChartProblem("Chart.yaml is no map");
  return value;
}

async function unpacked(packed: Buffer, within: { bytes: number }): Promise<Buffer> {
  if (packed[0] !== 0x1f || packed[1] !== 0x8b)
    throw new ChartProblem("this is no packed chart: a .tgz as `helm package` writes it is needed");
  try {
    const tar = await unzip(packed, { maxOutputLength: Math.max(1, maxUnpackedBytes - within.bytes) });
    within.bytes += tar.length;
    return tar;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new ChartProblem(`the chart has more than ${maxUnpackedBytes} bytes unpacked`);
    throw new ChartProblem(`the archive cannot be unpacked: ${(error as Error).message}`);
  }
}

/** The files under the archive's one folder, by path; charts that lie packed in it as if they were not. */
async function filesOf(packed: Buffer, within = { files: 0, bytes: 0 }): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const folders = new Set<string>();
  for (const { header, data = noBytes } of await entriesOf(await unpacked(packed, within))) {
    const { name, type } = header;
    if (type === "directory") continue;
    if (type !== "file") throw new ChartProblem(`${name} is a ${type}; a chart may hold plain files only`);
    const [folder = "", ...rest] = pathParts(name);
    folders.add(folder);
    if (++within.files > maxFiles) throw new ChartProblem(`the chart has more than ${maxFiles} files`);
    const path = rest.join("/");
    const inner = /^((?:charts\/[^/]+\/)*charts\/[^/]+)\.tgz$/.exec(path)?.[1];
    if (inner === undefined) files.set(path, Buffer.from(data));
    else
      for (const [below, content] of await filesOf(Buffer.from(data), within)) files.set(`${inner}/${below}`, content);
  }
  if (folders.size > 1)
    throw new ChartProblem(
      `the archive holds several folders (${[...folders].slice(0, 5).join(", ")}); a chart is one`,
    );
  return files;
}

const noBytes = new Uint8Array();

async function entriesOf(tar: Buffer): Promise<ParsedTarEntryWithData[]> {
  try {
    return await unpackTar(tar, { strict: true });
  } catch (error) {
    throw new ChartProblem(`the archive cannot be read: ${(error as Error).message}`);
  }
}

/** @throws ChartProblem for a path that leads out of the archive, or that lies in no folder */
function pathParts(name: string): string[] {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (name.startsWith("/") || name.includes("\\") || name.includes("\0") || parts.includes(".."))
    throw new ChartProblem(`the path ${JSON.stringify(name)} leads out of the chart`);
  if (parts.length < 2) throw new ChartProblem(`${name} lies in no folder; a packed chart is a folder with Chart.yaml`);
  return parts;
}

function chartHead(content: Buffer | undefined) {
  if (content === undefined) throw new ChartProblem("the chart has no Chart.yaml");
  return read("Chart.yaml", content, chartHeadSchema);
}

function read<S extends z.ZodType>(path: string, content: Buffer, schema: S): z.output<S> {
  try {
    const source = readYaml(content.toString("utf8"), {}, RENDERED_LIMITS);
    const value = source.tree === undefined ? undefined : yamlValue(source);
    if (!isRecord(value)) throw new ChartProblem(`${path} is no map`);
    const known = schema.safeParse(value);
    if (known.success) return known.data;
    const [issue] = known.error.issues;
    throw new ChartProblem(`${path}: ${issue?.path.join(".")}: ${issue?.message}`);
  } catch (error) {
    if (error instanceof ManifestError) throw new ChartProblem(`${path}: ${error.message}`);
    throw error;
  }
}

/** Helm fetches nothing: what a chart needs must be in it (decisions 11.2). A `Chart.lock` says which versions. */
function missingDependencies(
  { dependencies }: z.output<typeof chartHeadSchema>,
  files: ReadonlyMap<string, Buffer>,
): ChartDependency[] {
  const paths = [...files.keys()];
  const missing = (dependencies ?? []).filter(
    ({ name }) => !paths.some((path) => path.startsWith(`charts/${name}/`) || path.startsWith(`charts/${name}-`)),
  );
  const lock = missing.length === 0 ? undefined : files.get("Chart.lock");
  const locked = lock === undefined ? [] : (read("Chart.lock", lock, chartLockSchema).dependencies ?? []);
  return missing.map((one, position) => {
    const chosen = locked.filter(({ name, repository }) => name === one.name && repository === one.repository);
    const earlier = missing.slice(0, position).filter(({ name }) => name === one.name).length;
    return { ...one, version: (chosen[earlier] ?? chosen[0])?.version ?? one.version };
  });
}

async function nothingElse({ name }: ChartDependency): Promise<Buffer> {
  throw new ChartProblem(
    `the chart needs ${name}, which is not in its charts/ folder; run helm dependency build before packing it`,
  );
}

/**
 * The chart in a folder of a repository, packed, out of the archive that a code host makes of the whole; the rest of the
 * repository may hold what it likes.
 * @param path of the folder, without slashes at its ends; empty for the root
 * @throws ChartProblem where there is no such folder, or it holds links
 */
export async function packedFolder(repository: Buffer, path: string): Promise<Buffer> {
  const files = await filesBelow(repository, path);
  if (files.size === 0) throw new ChartProblem(`the repository has no folder ${path === "" ? "/" : path} with files`);
  return packedAgain("chart", files);
}

/**
 * The files below a folder of a repository, by their paths from there, out of the archive that a code host makes of the
 * whole. @throws ChartProblem as `packedFolder`
 */
export async function filesBelow(repository: Buffer, path: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const { header, data = noBytes } of await entriesOf(await unpacked(repository, { bytes: 0 }))) {
    const name = header.name.split("/").slice(1).join("/");
    if (header.type === "directory" || (path !== "" && !name.startsWith(`${path}/`))) continue;
    if (header.type !== "file")
      throw new ChartProblem(`${name} is a ${header.type}; a chart may hold plain files only`);
    files.set(path === "" ? name : name.slice(path.length + 1), Buffer.from(data));
  }
  return files;
}

/** Packs files by path into a chart of that name. */
export async function packedAgain(name: string, files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const entries = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, body]) => ({
      header: { name: `${name}/${path}`, size: body.length, mode: 0o644, mtime: new Date(0) },
      body,
    }));
  return zip(await packTar(entries), { level: constants.Z_BEST_COMPRESSION });
}
