import { ContainerJobInvalid } from "./containerJobInvalid.ts";

/** Options of `docker build` by what BuildKit's Dockerfile frontend calls them. */
const options: Readonly<Record<string, string>> = {
  "--build-arg": "build-arg:",
  "--label": "label:",
  "--target": "target=",
  "--add-host": "add-hosts=",
};
const plain: Readonly<Record<string, string>> = { "--no-cache": "no-cache=", "--pull": "image-resolve-mode=pull" };
/** Given by habit, and what happens anyway. */
const ignored = new Set(["--rm", "--rm=true", "--force-rm"]);

/**
 * The arguments of buildctl for a text of `docker build` options (contract W 11.6). Nothing in it is interpreted by a
 * shell; quotes hold spaces together.
 * @throws ContainerJobInvalid for an option that is not understood
 */
export function buildArguments(text: string): string[] {
  const words = wordsOf(text);
  const result: string[] = [];
  while (words.length > 0) {
    const word = words.shift() ?? "";
    if (ignored.has(word)) continue;
    const [option = "", joined] = splitOnce(word);
    const flag = plain[word];
    const name = options[option];
    if (flag !== undefined) result.push("--opt", flag);
    else if (name !== undefined) result.push("--opt", `${name}${joined ?? needed(option, words.shift())}`);
    else throw new ContainerJobInvalid(`build_args: ${word} is not understood; ${understood}`);
  }
  return result;
}

const understood = `understood are ${[...Object.keys(options), ...Object.keys(plain)].join(", ")}`;

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function needed(option: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new ContainerJobInvalid(`build_args: ${option} needs a value`);
}

function wordsOf(text: string): string[] {
  const parts = text.matchAll(/\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\([\s\S])|([^\s"'\\]+)|(["'\\])/g);
  const words: string[] = [];
  let word: string | undefined;
  for (const [whole, double, single, escaped, bare, open] of parts) {
    if (open !== undefined) throw new ContainerJobInvalid(`build_args: a ${open} is not closed`);
    const piece = double?.replace(/\\(["\\$])/g, "$1") ?? single ?? escaped ?? bare;
    if (piece !== undefined) word = (word ?? "") + piece;
    else if (whole.trim() === "" && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
