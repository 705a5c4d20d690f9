import { glob, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { runAsWorker } from "synckit";

/**
 * An AWS client names HTTP headers by constants, as keys of its shapes. To esbuild such a key is code that might do
 * something, so all shapes of all commands would stay; with a plain key the unused ones go.
 */
const plainKeys: Plugin = {
  name: "plain-keys",
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk[\\/]client-[\w-]+[\\/]dist-es[\\/]schemas[\\/]\w+\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const values = new Map(
        [...source.matchAll(/^const (\w+) = ("[^"\\]*");$/gm)].map(([, name, value]) => [name, value]),
      );
      return { contents: source.replace(/\[(\w+)\]:/g, (key, name) => `${values.get(name) ?? key}:`) };
    });
  },
};

/** Of its package an AWS client tells its version, and would bring all that npm knows. */
const versionsOnly: Plugin = {
  name: "versions-only",
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk[\\/]client-[\w-]+[\\/]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

/** Functions check with zod; JSON schemas are made of it where the OpenAPI document is, which is before they ship. */
const noJsonSchemas: Plugin = {
  name: "no-json-schemas",
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const names = [...source.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
      const none = 'const none = () => { throw new Error("a function in AWS makes no JSON schemas"); };';
      return { contents: [none, ...names.map((name) => `export const ${name} = none;`)].join("\n") };
    });
  },
};

/**
 * What asks AWS is imported late, since a start on one machine has adapters instead. A function in AWS has none and always
 * needs it: imported at once, esbuild keeps of it what is used and no more, which it cannot do for a file imported late.
 */
const earlyAws: Plugin = {
  name: "early-aws",
  setup: ({ onLoad }) => {
    onLoad({ filter: /shared[\\/]base[\\/]aws[\\/].+\.ts$/ }, async ({ path }) => {
      const names = new Map<string, string>();
      const source = (await readFile(path, "utf8")).replaceAll("adapters()?.", "undefined?.");
      const early = source.replace(/await import\(("\.\/\w+InAws\.ts")\)/g, (_, file) => {
        const name = names.get(file) ?? `inAws${names.size}`;
        names.set(file, name);
        return name;
      });
      const imports = [...names].map(([file, name]) => `import * as ${name} from ${file};`);
      return { contents: [...imports, early].join("\n"), loader: "ts" };
    });
  },
};

/**
 * A kind of job is loaded by its name, late. A function that plans or runs jobs needs all kinds: imported at once they are a
 * few files, where one import for each would cut the bundle into hundreds.
 */
const earlyKinds: Plugin = {
  name: "early-kinds",
  setup: ({ onLoad }) => {
    onLoad({ filter: /shared[\\/]workflows[\\/]jobs[\\/](planners|previews|runners)\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const [whole = "", file = ""] = /await import\(`\.\/\$\{type\}\/(\w+\.ts)`\)/.exec(source) ?? [];
      if (whole === "") throw new Error(`${path} imports no kinds of jobs`);
      const folder = dirname(path);
      const types: string[] = [];
      for await (const found of glob(join(folder, "*", file))) types.push(dirname(relative(folder, found)));
      const imports = types.sort().map((type, at) => `import * as kind${at} from "./${type}/${file}";`);
      const kinds = `const kinds: any = { ${types.map((type, at) => `"${type}": kind${at}`).join(", ")} };`;
      return { contents: [...imports, kinds, source.replace(whole, "kinds[type]")].join("\n"), loader: "ts" };
    });
  },
};

// Only esbuild, which this thread starts, reads it: collecting garbage less often takes a third less processor time.
process.env.GOGC ??= "800";

runAsWorker(async (options: BuildOptions) => {
  const { metafile } = await build({
    ...options,
    plugins: [plainKeys, versionsOnly, noJsonSchemas, earlyAws, earlyKinds],
  });
  return metafile;
});
