import { SaxesParser } from "saxes";
import { decodeXml } from "./rules/decodeXml.ts";
import { JunitTree } from "./rules/junitTree.ts";
import type { TestReport } from "./rules/testReport.ts";

/** Characters that XML does not have, as they are or by their numbers: terminals' colours in a message, for example. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));/gi;

/**
 * What one JUnit file reports (contract W 13.4), in the encoding that it declares. It is checked to be XML to its last
 * character; entities that it defines itself are not expanded, and no other file is read.
 * @throws Error that says what is wrong and where, for what is no XML: empty or cut off, for example
 */
export function readJunit(bytes: Buffer): TestReport {
  const tree = new JunitTree();
  const parser = new SaxesParser<{ xmlns?: false }>();
  parser.on("opentag", ({ name, attributes }) => tree.open({ name: localName(name), attributes }));
  parser.on("text", (text) => tree.text(text));
  parser.on("cdata", (text) => tree.text(text));
  parser.on("closetag", () => tree.close());
  parser.write(decodeXml(bytes).trimStart().replace(notInXml, "\ufffd")).close();
  return tree.report();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
