import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { groups } from "../../functions/api/groups.ts";
import { type Import, importsOf, type SourceFile, sourceFiles } from "./sourceFiles.ts";

const readme = readFileSync(new URL("../../shared/README.md", import.meta.url), "utf8");
const files = sourceFiles("clients", "infra", "functions", "shared", "test");
const imports = new Map(files.map((file) => [file.path, importsOf(file)]));

/** Imports of a file, or of those below a folder, whose target is not allowed. */
function wrong(folder: string, isAllowed: (found: Import, file: string) => boolean): string[] {
  return [...imports]
    .filter(([path]) => path === folder || path.startsWith(`${folder}/`))
    .flatMap(([path, found]) =>
      found.filter((one) => !isAllowed(one, path)).map(({ target }) => `${path} imports ${target}`),
    );
}

const isOwn = (target: string): boolean => /^(clients|infra|functions|shared|test)\//.test(target);
const isIn = (target: string, ...folders: string[]): boolean =>
  folders.some((folder) => target.startsWith(`${folder}/`));

/** The rooms of `shared/` as its README lists them: each a subject, with the parts whose order inside it is fixed. */
const rooms = [...readme.matchAll(/^\| `(\w+)` \|([^|]*)\|/gm)].map(([, room = "", parts = ""]) => ({
  room,
  parts: [...parts.matchAll(/`([\w/]+)`/g)].map(([, part = ""]) => `${room}/${part}`),
}));

/** Places in their order: a room, then its parts. */
const places = rooms.flatMap(({ room, parts }) => [room, ...parts]);

/** What the definition of a kind of job holds, in the folder of the kind. */
const kindFile = /^shared\/workflows\/jobs\/[^/]+\/kind\.ts$/;

/** The rank of a file: that of the longest place that it is in. */
function rankOf(path: string): number {
  if (kindFile.test(path)) return places.indexOf("workflows/definition");
  const found = places.filter((place) => path.startsWith(`shared/${place}/`));
  return places.indexOf(found.reduce((longest, place) => (place.length > longest.length ? place : longest), ""));
}

/** The end of a task is written into the plan that started it: to be turned round. */
function isKnown(found: string): boolean {
  return found.endsWith("imports shared/releaseplans/records/recordTaskEnd.ts");
}

/** `functions/api/projects`, `functions/engine/environment-change`, …: what is deployed together. */
function unitOf(path: string): string | undefined {
  return /^functions\/(?:api|engine|triggers)\/[^/]+(?=\/)/.exec(path)?.[0];
}

/** Every file that runs when `entry` is loaded, and every package on the way. */
function reachedFrom(entry: string, { atOnce = false, seen = new Set<string>() } = {}): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { target, typeOnly, late } of imports.get(entry) ?? [])
    if (!typeOnly && !(atOnce && late)) reachedFrom(target, { atOnce, seen });
  return seen;
}

describe("imports", () => {
  test("are found at all, and lead to files that exist", () => {
    expect(imports.get("functions/api/groups.ts")?.map(({ target }) => target)).toContain("shared/http/route.ts");
    expect(reachedFrom("functions/api/clusters/handler.ts")).toContain("shared/base/store/tableClient.ts");
    const dangling = wrong(
      "functions",
      ({ target }) => !isOwn(target) || imports.has(target) || target.endsWith(".json"),
    );
    expect(dangling).toEqual([]);
  });

  test("go from infra to functions to shared and never back", () => {
    expect(wrong("shared", ({ target }) => !isOwn(target) || isIn(target, "shared"))).toEqual([]);
    expect(wrong("functions", ({ target }) => !isOwn(target) || isIn(target, "functions", "shared"))).toEqual([]);
    expect(wrong("infra", ({ target }) => !isIn(target, "clients", "test"))).toEqual([]);
  });

  test("of clients reach the product by its API alone, but for where it is installed and what starts it, saves its data or writes the client's types", () => {
    const known = new Map([
      ["clients/cli/localSlipway.ts", "infra/local/dataDir.ts"],
      ["clients/cli/commands/backup.ts", "infra/local/backup/backup.ts"],
      ["clients/generator/generate.ts", "functions/api/meta/declaredDocument.ts"],
    ]);
    const own = wrong(
      "clients",
      ({ target }, file) =>
        !isOwn(target) || isIn(target, "clients") || target === "infra/program.ts" || known.get(file) === target,
    );
    expect(own).toEqual([]);
  });

  test("of what runs in AWS never reach what stands in for it on one machine, and the other way round", () => {
    expect(wrong("infra/aws", ({ target }) => !isIn(target, "infra/local"))).toEqual([]);
    expect(wrong("infra/local", ({ target }) => !isIn(target, "infra/aws"))).toEqual([]);
  });

  test("never lead from one group, machine or trigger into another", () => {
    const found = wrong("functions", ({ target }, path) => {
      const [from, to] = [unitOf(path), unitOf(target)];
      return from === undefined || to === undefined || from === to;
    });
    expect(found).toEqual([]);
  });

  test("inside shared go up the list of its README: no two rooms import each other", () => {
    expect(rooms.length).toBeLessThanOrEqual(14);
    expect([...imports.keys()].filter((path) => isIn(path, "shared") && rankOf(path) < 0)).toEqual([]);
    expect(places.filter((place) => !files.some(({ path }) => isIn(path, `shared/${place}`)))).toEqual([]);
    const upward = wrong("shared", ({ target }, path) => !isOwn(target) || rankOf(target) <= rankOf(path));
    expect(upward.filter((found) => !isKnown(found))).toEqual([]);
  });

  test("of rules are those of other rules, with zod, js-yaml for manifests, semver for versions and croner for times: they read and write nothing", () => {
    const isPure = (path: string) =>
      /^shared\/([^/]+\/){1,2}rules\//.test(path) ||
      kindFile.test(path) ||
      isIn(path, "shared/base/common", "shared/base/errors", "shared/manifest", "shared/workflows/definition");
    const pure = [...imports.keys()].filter(isPure);
    expect(pure.length).toBeGreaterThan(150);
    const found = pure.flatMap((path) => {
      return wrong(
        path,
        ({ target, typeOnly }) =>
          typeOnly || isPure(target) || ["zod", "js-yaml", "diff", "croner", "semver"].includes(target),
      );
    });
    expect(found).toEqual([]);
  });

  test("of the DynamoDB client stand in shared/base/store alone", () => {
    const clients = ["@aws-sdk/client-dynamodb", "@aws-sdk/lib-dynamodb"];
    for (const folder of ["functions", "shared"]) {
      const found = wrong(
        folder,
        ({ target }, path) => !clients.includes(target) || path.startsWith("shared/base/store/"),
      );
      expect(found).toEqual([]);
    }
  });

  test("of a start on one machine load no client of what has adapters there, nor the Kubernetes client", () => {
    const adapted =
      /^(@aws-sdk\/client-(s3|kms|sfn|lambda|scheduler|eventbridge|secrets-manager)|@kubernetes\/client-node)$/;
    for (const entry of ["infra/local/main.ts", "infra/local/runtime.ts", "infra/local/watcherThread.ts"]) {
      expect([...reachedFrom(entry)].filter((path) => adapted.test(path)).length).toBeGreaterThan(0);
      expect([...reachedFrom(entry, { atOnce: true })].filter((path) => adapted.test(path))).toEqual([]);
    }
  });

  test("of the Kubernetes client stand in shared/kube/client alone", () => {
    for (const folder of ["infra", "functions", "shared"]) {
      const found = wrong(
        folder,
        ({ target }, path) => target !== "@kubernetes/client-node" || path.startsWith("shared/kube/client/"),
      );
      expect(found).toEqual([]);
    }
  });

  test.each(groups.filter(({ reachesCluster }) => !reachesCluster))(
    "of the group $name never bring the Kubernetes client along",
    ({ name }) => {
      const reached = reachedFrom(`functions/api/${name}/handler.ts`);
      expect(reached.size).toBeGreaterThan(20);
      expect([...reached].filter((path) => path === "@kubernetes/client-node")).toEqual([]);
    },
  );

  test.each(groups)("of the declarations of $name bring no client along", ({ name }) => {
    const reached = [...reachedFrom(`functions/api/${name}/routes.ts`)];
    expect(
      reached.filter((path) => /^@kubernetes|^shared\/(base\/aws|base\/outbound|kube\/client)\//.test(path)),
    ).toEqual([]);
  });

  test("make no circle among what all rooms share", () => {
    expect(circles(files.filter(({ path }) => isIn(path, "shared", "functions")))).toEqual([]);
  });
});

/** Files that import each other, by way of others too. */
function circles(all: readonly SourceFile[]): string[] {
  const state = new Map<string, "open" | "done">();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      found.push([...way.slice(way.indexOf(path)), path].join(" → "));
      return;
    }
    state.set(path, "open");
    for (const { target, typeOnly } of imports.get(path) ?? [])
      if (!typeOnly && imports.has(target)) visit(target, [...way, path]);
    state.set(path, "done");
  };
  for (const { path } of all) visit(path, []);
  return found;
}
