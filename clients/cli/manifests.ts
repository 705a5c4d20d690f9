import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { WrongUsage } from "./endings.ts";

/** A folder of plain manifests: each file is a service. */
export interface Manifests {
  /** Of the folder: the project is named so unless somebody says otherwise. */
  name: string;
  /** Service name to manifest. */
  services: ReadonlyMap<string, string>;
}

const isManifest = (file: string): boolean => [".yaml", ".yml"].includes(extname(file));

/**
 * Reads a folder of manifests, or one file of it.
 * @throws WrongUsage when nothing is there that could be applied
 */
export function readManifests(path: string): Manifests {
  const place = resolve(path);
  const files = filesAt(place);
  if (files.some((file) => basename(file) === "Chart.yaml"))
    throw new WrongUsage(`${path} is a chart; charts are deployed by projects of type helm, see README.md`);
  if (files.length === 0) throw new WrongUsage(`${path} holds no .yaml or .yml file`);
  const services = new Map<string, string>();
  for (const file of files) {
    const name = basename(file, extname(file));
    if (services.has(name)) throw new WrongUsage(`${path} holds ${name}.yaml and ${name}.yml: a service is one file`);
    services.set(name, readFileSync(file, "utf8"));
  }
  return { name: basename(statSync(place).isDirectory() ? place : resolve(place, "..")), services };
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
