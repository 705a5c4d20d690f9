import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../shared/base/common/exactJson.ts";
import { RENDERED_LIMITS } from "../../../shared/manifest/limits.ts";
import { type KubeObject, ManifestError, parseManifest } from "../../../shared/manifest/parseManifest.ts";
import { dumpYaml } from "../../../shared/manifest/parseYaml.ts";
import { cpuTime } from "../base/common/cpuTime.ts";

function failure(text: string): ManifestError {
  try {
    parseManifest(text, RENDERED_LIMITS);
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error("the manifest was accepted");
}

function object(fields = "", metadata = "name: x"): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {${metadata}}\n${fields}`;
}

function dataOf(fields: string): unknown {
  return parseManifest(object(`data:\n${fields.replace(/^/gm, "  ")}\n`))[0]?.data;
}

describe("a manifest becomes objects", () => {
  it("keeps their order across documents and flattens lists", () => {
    const list =
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- apiVersion: v1\n  kind: BList\n  items:\n  - {apiVersion: v1, kind: B, metadata: {name: b}}\n";
    expect(
      parseManifest(`${object()}---\n${list}---\nnull\n---\n${object("", "name: z")}`).map(
        ({ kind, metadata }) => `${kind}/${metadata.name}`,
      ),
    ).toEqual(["ConfigMap/x", "A/a", "B/b", "ConfigMap/z"]);
  });

  it("reads scalars as kubectl reads them", () => {
    const read = dataOf(
      "a: yes\nb: off\nc: y\nd: 0644\ne: 0o644\nf: 0x1f\ng: 1_000\nh: 1:30\ni: 1e3\nj: 2001-01-01\nk: .5\nl: +1\nm: ~\nnn: 089\no: !!binary aGk=\np: 0b11\nq: 'yes'\nr: 1e1000\ns: -0\nt: 1.5\ny: 1\n2: x\n0010: z",
    );
    expect(read).toEqual({
      ...{
        a: true,
        b: false,
        c: true,
        d: 420,
        e: 420,
        f: 31,
        g: 1000,
        h: "1:30",
        i: 1000,
        j: "2001-01-01",
        k: 0.5,
        l: 1,
      },
      ...{ m: null, nn: 89, o: "hi", p: 3, q: "yes", r: "1e1000", s: 0, t: 1.5, true: 1, "2": "x", "8": "z" },
    });
  });

  it("follows anchors, aliases and merges without sharing anything", () => {
    const data = dataOf("a: &a {x: 1, l: [1]}\nb: *a\nc:\n  <<: *a\n  x: 2");
    expect(data).toEqual({ a: { x: 1, l: [1] }, b: { x: 1, l: [1] }, c: { x: 2, l: [1] } });
    const { a, b } = data as Record<string, { l: number[] }>;
    b?.l.push(2);
    expect(a?.l).toEqual([1]);
  });

  it("keeps keys such as __proto__ and constructor as ordinary keys", () => {
    const data = dataOf("__proto__: {a: 1}\nconstructor: x\nz: &z {__proto__: 2}\nw: *z");
    expect(JSON.stringify(data)).toBe(
      '{"__proto__":{"a":1},"constructor":"x","z":{"__proto__":2},"w":{"__proto__":2}}',
    );
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  it("leaves out empty labels and reads an annotation without value as empty text", () => {
    expect(parseManifest(object("", "name: x, labels: , namespace: ~, annotations: {a: }"))[0]?.metadata).toEqual({
      name: "x",
      annotations: { a: "" },
    });
  });

  it("reads what dumping writes", () => {
    const value = fc.jsonValue({ maxDepth: 4 }).filter((data) => !/[eE]|-0|\d{16}/.test(JSON.stringify(data)));
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (data, name, label) => {
        const expected = { apiVersion: "v1", kind: "X", metadata: { name: `n${name}`, labels: { l: label } }, data };
        expect(parseManifest(dumpYaml(expected))).toEqual([expected]);
      }),
    );
  });
});

describe("a manifest that is wrong is refused with its place and what would be right", () => {
  it.each<[string, string, number | undefined, number | undefined, string]>([
    ["a tab", `${object()}data:\n\ta: 1\n`, 1, 5, "tab"],
    ["no YAML", `${object()}---\na: [1\n`, 2, 6, ""],
    ["text", "just text\n", 1, 1, "must be a map with apiVersion, kind and metadata"],
    ["a list", "- a\n", 1, 1, "not a list"],
    ["no apiVersion", "kind: A\nmetadata: {name: x}", 1, 1, "apiVersion is missing"],
    ["no kind", `${object()}---\n\napiVersion: v1\nmetadata: {name: x}`, 2, 6, "kind is missing"],
    ["no metadata", "apiVersion: v1\nkind: A", 1, 1, "metadata is missing"],
    ["no name", "apiVersion: v1\nkind: A\nmetadata: {}", 1, 1, "metadata.name is missing"],
    [
      "a name that is a number",
      object("", "name: 123"),
      1,
      1,
      "metadata.name is the number 123; it must be text; put it in quotes",
    ],
    ["a generated name", object("", "generateName: x-"), 1, 1, "generateName cannot be used"],
    ["a namespace that is no text", object("", "name: x, namespace: [a]"), 1, 1, "metadata.namespace is a list"],
    [
      "a label that is a boolean",
      object("", "name: x, labels: {a: yes}"),
      1,
      1,
      "metadata.labels.a is the boolean true; it must be text; put it in quotes",
    ],
    [
      "a broken item of a list",
      "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}, {kind: B}]",
      1,
      1,
      "items[1]: apiVersion is missing",
    ],
    ["a document behind ...", "a: 1\n...\nb: 2\n", 1, 3, "separate documents by a line ---"],
    [
      "documents parted by single CRs",
      `${object().trim()}\r---\rkind: Secret\n`,
      1,
      undefined,
      "separate documents by a line ---",
    ],
    ["an unknown alias", `${object("data: *a\n")}`, 1, 4, "the alias *a has no anchor before it"],
    ["an alias to itself", `${object("data: &a {b: *a}\n")}`, 1, 4, "is a part of what it stands for"],
    ["a number that cannot be kept", object("data: {a: 18446744073709551616}"), 1, 4, "put it in quotes"],
    ["infinity", object("data: {a: .inf}"), 1, 4, "not a JSON number"],
    ["a null key", object("data: {null: 1}"), 1, 4, "a key must not be empty or null"],
    ["a key that is a list", object("data: {[a]: 1}"), 1, 4, "a key must be text"],
    ["an unknown tag", object("data: !Ref x"), 1, undefined, "unknown scalar tag"],
    ["a null byte", object("data: \0"), 1, 4, "null byte"],
  ])("%s", (_, text, document, line, problem) => {
    const error = failure(text);
    expect(error.message).toContain(problem);
    expect(error.document).toBe(document);
    if (line !== undefined) expect(error.line).toBe(line);
    expect(error.reason).not.toBe("limit");
  });
});

describe("a manifest has limits (decisions 4.4)", () => {
  const nested = (levels: number) => object(`data: ${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`);
  const values = (count: number) => object(`data: [${Array(count).fill("x").join(",")}]`);
  const aliases = (count: number) => object(`data: {a: &a x, b: [${Array(count).fill("*a").join(",")}]}`);
  /** A list of 99 texts, which is 100 values, and so many aliases of it. */
  const added = (count: number) =>
    object(`data: {a: &a [${Array(99).fill("x").join(",")}], b: [${Array(count).fill("*a").join(",")}]}`);
  const documents = (count: number) => Array(count).fill(object()).join("---\n");

  it.each([
    ["1000 documents", documents(1000), documents(1001)],
    ["a depth of 64", nested(64), nested(65)],
    ["100 aliases", aliases(100), aliases(101)],
    ["500,000 values in a document", values(499_994), values(499_995)],
    ["10,000 values that aliases add", added(100), added(101)],
    [
      "4 MiB",
      `${object()}#${"x".repeat(4 * 1024 * 1024 - object().length - 1)}`,
      `${object()}#${"é".repeat(2 * 1024 * 1024)}`,
    ],
  ])("%s and no more", (_, allowed, refused) => {
    expect(() => parseManifest(allowed, RENDERED_LIMITS)).not.toThrow();
    expect(failure(refused).reason).toBe("limit");
  });

  it("counts the objects of lists", () => {
    const items = Array(1001).fill("{apiVersion: v1, kind: A, metadata: {name: a}}").join(",");
    expect(failure(`apiVersion: v1\nkind: List\nitems: [${items}]`).message).toContain("1001 objects");
  });

  it.each([
    [
      "lists of lists",
      (at: number) =>
        `[${Array(9)
          .fill(`*l${at - 1}`)
          .join(",")}]`,
    ],
    ["maps of maps", (at: number) => `{${Array.from({ length: 9 }, (_, key) => `k${key}: *l${at - 1}`).join(",")}}`],
  ])("an alias bomb of %s ends at once", (_, level) => {
    const bomb = Array.from({ length: 11 }, (_, at) => `l${at}: &l${at} ${at === 0 ? "x" : level(at)}`);
    const text = object(bomb.join("\n"));
    expect(cpuTime(() => expect(failure(text).reason).toBe("limit"))).toBeLessThan(500);
  });

  it("counts the depth behind aliases", () => {
    const deep = `a: &a ${"[".repeat(40)}${"]".repeat(40)}\nb: ${"[".repeat(30)}*a${"]".repeat(30)}`;
    expect(failure(object(deep)).message).toContain("deeper than 64");
  });

  it("ends with a ManifestError or objects, whatever the text", () => {
    const part = fc.constantFrom(
      "a",
      ": ",
      "\n",
      "  ",
      "- ",
      "{",
      "}",
      "[",
      "]",
      "&x ",
      "*x",
      "!!str ",
      '"',
      "'",
      "|",
      ">-",
      "\n---\n",
      "...\n",
      "# ",
      "? ",
      "\t",
      "\r",
      ",",
      "<<: ",
      "%",
      "apiVersion: v1\n",
      "kind: A\n",
      "metadata: {name: b}\n",
      "é",
      "\u2028",
      "@",
      "0644",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        let objects: KubeObject[] = [];
        try {
          objects = parseManifest(parts.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(ManifestError);
        }
        for (const { apiVersion, kind, metadata } of objects) {
          expect([typeof apiVersion, typeof kind, typeof metadata.name]).toEqual(["string", "string", "string"]);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe("a large manifest is read in time", () => {
  it("reads 1 MB with 400 objects in less than a second", () => {
    const filler = Array.from({ length: 50 }, (_, at) => `  key${at}: value number ${at} of this object\n`).join("");
    const text = Array.from({ length: 400 }, (_, at) => object(`data:\n${filler}`, `name: x${at}`)).join("---\n");
    expect(text.length).toBeGreaterThan(800_000);
    expect(cpuTime(() => expect(parseManifest(text)).toHaveLength(400))).toBeLessThan(1000);
  });
});

describe("an integer that JavaScript's numbers cannot hold (decisions 20.4)", () => {
  const exact = [
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
  ];

  it.each(exact)("keeps every digit of %s, as YAML and as JSON", (digits) => {
    const [one] = parseManifest(object(`data: {a: ${digits}}`), RENDERED_LIMITS);
    expect(one?.data).toEqual({ a: BigInt(digits) });
    expect(dumpYaml(one)).toContain(`a: ${digits}\n`);
    expect(JSON.stringify(one)).toContain(`{"a":${digits}}`);
    expect(parseExactJson(JSON.stringify(one))).toEqual(one);
    expect(parseManifest(dumpYaml(one))).toEqual([one]);
  });

  it("is a number where it fits, and a text where it is quoted", () => {
    expect(dataOf('a: 9007199254740991\nb: "9007199254740993"\nc: 0x20000000000001')).toEqual({
      ...{ a: 9007199254740991, b: "9007199254740993", c: 9007199254740993n },
    });
    expect(dumpYaml({ a: "9007199254740993" })).toBe("a: '9007199254740993'\n");
  });

  it("is the nearest number beyond 64 bits in what Helm rendered", () => {
    const data = parseManifest(object("data: {a: 18446744073709551616}"))[0]?.data;
    expect(data).toEqual({ a: 18446744073709552000 });
  });

  it("is read from JSON beside floats and texts that look like it", () => {
    const text = '{"a":[9007199254740993,1.5e300,"9007199254740993"],"b":-9223372036854775808}';
    expect(parseExactJson(text)).toEqual({
      a: [9007199254740993n, 1.5e300, "9007199254740993"],
      b: -9223372036854775808n,
    });
  });
});
