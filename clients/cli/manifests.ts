import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isManifest, type Manifest, servicesOfFiles } from "@slipway/client";
import { WrongUsage } from "./endings.ts";

/** A folder of plain manifests: each file is a service. */
export interface Manifests {
  /** The name of the folder: the project gets it unless the user names another. */
  name: string;
  /** Service name to manifest. */
  services: ReadonlyMap<string, Manifest>;
}

/**
 * Reads a folder of manifests, or one file of it.
 * @throws WrongUsage when nothing is there that could be applied
 */
export function readManifests(path: string): Manifests {
  const place = resolve(path);
  const files = new Map(filesAt(place).map((file) => [basename(file), file]));
  const services = new Map<string, Manifest>();
  for (const [name, file] of servicesAt(path, files))
    services.set(name, { file: basename(file), yaml: readFileSync(file, "utf8") });
  return { name: basename(statSync(place).isDirectory() ? place : resolve(place, "..")), services };
}

function servicesAt(path: string, files: ReadonlyMap<string, string>): Map<string, string> {
  try {
    return servicesOfFiles(files);
  } catch (error) {
    throw new WrongUsage(`${path} ${(error as Error).message}`);
  }
}

function filesAt(place: string): string[] {
  try {
    if (!statSync(place).isDirectory()) return [place];
    return readdirSync(place)
      .filter(isManifest)
      .sort()
      .map((file) => join(place, file));
  } catch (error) {
    throw new WrongUsage(`${place} cannot be read: ${(error as Error).message}`);
  }
}
