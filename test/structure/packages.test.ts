import { dirname } from "node:path";
import { expect, test } from "vitest";
import { importsOf, readRepositoryFile, sourceFiles } from "./sourceFiles.ts";

interface Locked {
  dev?: boolean;
}

const { packages } = JSON.parse(readRepositoryFile("package-lock.json")) as {
  packages: Record<string, Locked | undefined>;
};

/** The package that a file gets by a name, as Node.js finds it: the nearest one. */
function packageOf(path: string, name: string): Locked | undefined {
  const folder = dirname(path);
  if (folder === ".") return packages[`node_modules/${name}`];
  return packages[`${folder}/node_modules/${name}`] ?? packageOf(folder, name);
}

test("what runs on one machine imports packages of production alone, which is what `./slipway` installs", () => {
  const files = sourceFiles("shared", "functions", "infra/local", "clients/cli", "clients/mcp", "clients/typescript");
  const imports = files.flatMap((file) =>
    importsOf(file)
      .filter(({ typeOnly }) => !typeOnly)
      .map(({ target }) => ({ path: file.path, target, found: packageOf(file.path, target) })),
  );
  expect(imports.filter(({ found }) => found !== undefined).length).toBeGreaterThan(100);
  const missing = imports.filter(({ found }) => found?.dev === true);
  expect(missing.map(({ path, target }) => `${path}: ${target}`)).toEqual([]);
});
