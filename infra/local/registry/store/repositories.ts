import { join } from "node:path";
import { namesIn } from "./durableFile.ts";
import type { Layout } from "./layout.ts";

/** The names of all repositories to which a manifest was ever pushed, in no order. */
export function listRepositories(layout: Layout): Promise<string[]> {
  return walk(layout.repositories, "", (names) => names.includes("_manifests"));
}

/** The names of all folders of repositories, also of those that so far hold blobs only. */
export function listRepositoryFolders(layout: Layout): Promise<string[]> {
  return walk(layout.repositories, "", (names) => names.some((name) => name.startsWith("_")));
}

async function walk(directory: string, name: string, counts: (names: string[]) => boolean): Promise<string[]> {
  const names = await namesIn(directory);
  const found = name !== "" && counts(names) ? [name] : [];
  for (const child of names.filter((each) => !each.startsWith("_"))) {
    found.push(...(await walk(join(directory, child), name === "" ? child : `${name}/${child}`, counts)));
  }
  return found;
}
