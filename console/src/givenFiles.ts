import { isManifest, type Manifest, servicesOfFiles } from "@slipway/client";

/** Manifests that the user gave: by service, and the name of the folder they came in, "" without one. */
export interface Given {
  folder: string;
  services: ReadonlyMap<string, Manifest>;
}

/** @throws Error that says what is wrong with the files */
export async function givenFiles(files: readonly File[], folder = ""): Promise<Given> {
  const manifests = files.filter(({ name }) => isManifest(name));
  try {
    const chosen = servicesOfFiles(new Map(manifests.map((file) => [file.name, file])));
    const texts = [...chosen].map(
      async ([service, file]) => [service, { file: file.name, yaml: await file.text() }] as const,
    );
    return { folder, services: new Map(await Promise.all(texts)) };
  } catch (error) {
    throw new Error(`${folder || files.map(({ name }) => name).join(", ")} ${(error as Error).message}`);
  }
}

/** What was dropped: files, or the files of one folder without those of folders in it. @throws Error */
export async function droppedFiles({ items, files }: DataTransfer): Promise<Given> {
  const folder = [...items].map((item) => item.webkitGetAsEntry()).find((entry) => entry?.isDirectory === true);
  if (folder === undefined || folder === null) return givenFiles([...files]);
  const found = await entriesOf(folder as FileSystemDirectoryEntry);
  const own = found.filter((entry) => entry.isFile) as FileSystemFileEntry[];
  return givenFiles(await Promise.all(own.map(fileOf)), folder.name);
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // Each reading answers some of them, the last none.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
