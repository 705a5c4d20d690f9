/** The kinds of tokens; a keyword's kind is the keyword itself. */
export type TokenKind =
  | "text"
  | "open"
  | "close"
  | "space"
  | "pipe"
  | "declare"
  | "assign"
  | "("
  | ")"
  | "char"
  | "dot"
  | "field"
  | "variable"
  | "identifier"
  | "bool"
  | "number"
  | "character"
  | "string"
  | "error"
  | "eof"
  | Keyword;

const KEYWORDS = [
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
] as const;
export type Keyword = (typeof KEYWORDS)[number];

export interface Token {
  kind: TokenKind;
  text: string;
  line: number;
  /** UTF-16 offsets in the source; those of delimiters take in the white space that their trim markers drop. */
  start: number;
  end: number;
}

const WORD = /[_\p{L}\p{Nd}]+/uy;
const WORD_START = /[_\p{L}\p{Nd}]/uy;
const SPACE = /[ \t\r\n]+/y;
const PUNCTUATION = new Map<string, TokenKind>([
  ["=", "assign"],
  ["|", "pipe"],
  ["(", "("],
  [")", ")"],
]);
const NUMBER =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;
const TERMINATORS = " \t\r\n.,|:)(";

function isKeyword(word: string): word is Keyword {
  return KEYWORDS.some((keyword) => keyword === word);
}

/**
 * Splits a template into tokens by the rules of Go's text/template (delimiters, trim markers and comments are settled
 * here). What cannot be read ends the list as one `error` token, so that a problem before it is reported first.
 */
export function lexTemplate(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #position = 0;
  /** Where the literal text before an action ends. */
  #textEnd = 0;
  #line = 1;
  #countedTo = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    let more = true;
    while (more) more = this.#text() && this.#action();
    return this.#tokens;
  }

  #lineAt(position: number): number {
    for (; this.#countedTo < position; this.#countedTo++) {
      if (this.#source.charCodeAt(this.#countedTo) === 10) this.#line++;
    }
    return this.#line;
  }

  #emit(kind: TokenKind, start: number, end: number): true {
    this.#push(kind, start, end, end);
    this.#position = end;
    return true;
  }

  #push(kind: TokenKind, start: number, textEnd: number, end: number): void {
    this.#tokens.push({ kind, text: this.#source.slice(start, textEnd), line: this.#lineAt(start), start, end });
  }

  #fail(problem: string): false {
    const position = this.#position;
    this.#tokens.push({ kind: "error", text: problem, line: this.#lineAt(position), start: position, end: position });
    return false;
  }

  #match(pattern: RegExp, at = this.#position): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#source)?.[0];
  }

  /** Literal text up to the next action or the end. */
  #text(): boolean {
    const open = this.#source.indexOf("{{", this.#position);
    const end = open < 0 ? this.#source.length : open;
    let textEnd = end;
    if (open >= 0 && this.#trimsLeft(open + 2)) {
      while (textEnd > this.#position && " \t\r\n".includes(this.#source.charAt(textEnd - 1))) textEnd--;
    }
    if (textEnd > this.#position) this.#emit("text", this.#position, textEnd);
    this.#textEnd = textEnd;
    this.#position = end;
    if (open >= 0) return true;
    this.#emit("eof", end, end);
    return false;
  }

  #trimsLeft(at: number): boolean {
    return this.#source.charAt(at) === "-" && this.#match(SPACE, at + 1) !== undefined;
  }

  /** One action or comment; the position is at its left delimiter. */
  #action(): boolean {
    const marker = this.#trimsLeft(this.#position + 2) ? 2 : 0;
    if (this.#source.startsWith("/*", this.#position + 2 + marker)) return this.#comment(this.#position + 2 + marker);
    this.#tokens.push({
      kind: "open",
      text: "{{",
      line: this.#lineAt(this.#position),
      start: this.#textEnd,
      end: this.#position + 2,
    });
    this.#position += 2 + marker;
    for (let parens = 0; ; ) {
      const close = this.#closeLength(this.#position);
      if (close > 0) {
        if (parens > 0) return this.#fail("unclosed left paren");
        const start = this.#position;
        this.#position += close;
        this.#skipTrimmed(close);
        this.#push("close", start, start + close, this.#position);
        return true;
      }
      const token = this.#insideAction();
      if (!token) return false;
      if (token === "(") parens++;
      if (token === ")" && --parens < 0) return this.#fail("unexpected right paren");
    }
  }

  /** The length of the right delimiter here, with its trim marker; 0 where there is none. */
  #closeLength(at: number): number {
    if (this.#source.startsWith("}}", at)) return 2;
    if (this.#source.startsWith("-}}", at + 1) && " \t\r\n".includes(this.#source.charAt(at))) return 4;
    return 0;
  }

  #skipTrimmed(closeLength: number): void {
    if (closeLength === 4) this.#position += this.#match(SPACE)?.length ?? 0;
  }

  #comment(start: number): boolean {
    const end = this.#source.indexOf("*/", start + 2);
    if (end < 0) return this.#fail("unclosed comment");
    const close = this.#closeLength(end + 2);
    if (close === 0) return this.#fail("comment ends before closing delimiter");
    this.#position = end + 2 + close;
    this.#skipTrimmed(close);
    return true;
  }

  /** One token inside an action; false after an error. */
  #insideAction(): TokenKind | false {
    const at = this.#position;
    const char = this.#source.charAt(at);
    const space = this.#match(SPACE);
    if (space) {
      // The last space may belong to a right delimiter with trim marker.
      const end = at + space.length;
      return this.#emit("space", at, this.#source.startsWith("-}}", end) ? end - 1 : end) && "space";
    }
    const kind = PUNCTUATION.get(char);
    if (kind) return this.#emit(kind, at, at + 1) && kind;
    if (char === ":") {
      return this.#source.startsWith(":=", at)
        ? this.#emit("declare", at, at + 2) && "declare"
        : this.#fail("expected := after the variable");
    }
    if (char === '"' || char === "'" || char === "`") return this.#quoted(char);
    if (/[0-9+-]/.test(char) || (char === "." && /[0-9]/.test(this.#source.charAt(at + 1)))) return this.#number();
    if (char === "." || char === "$" || this.#match(WORD_START) !== undefined) return this.#word(char);
    if (char === "") return this.#fail("unclosed action");
    if (/[!-~]/.test(char)) return this.#emit("char", at, at + 1) && "char";
    return this.#fail(`unrecognized character in action: ${JSON.stringify(char)}`);
  }

  #quoted(quote: string): TokenKind | false {
    const at = this.#position;
    const kind = quote === "'" ? "character" : "string";
    for (let end = at + 1; end < this.#source.length; end++) {
      const char = this.#source.charAt(end);
      if (char === quote) return this.#emit(kind, at, end + 1) && kind;
      if (quote === "`") continue;
      if (char === "\\") end++;
      if (this.#source.charAt(end) === "\n") break;
    }
    return this.#fail(`unterminated ${kind} constant`);
  }

  #number(): TokenKind | false {
    const end = this.#position + (this.#match(NUMBER) ?? "").length;
    if (this.#match(WORD_START, end) !== undefined) return this.#fail("bad number syntax");
    return this.#emit("number", this.#position, end) && "number";
  }

  #word(first: string): TokenKind | false {
    const at = this.#position;
    const prefix = first === "." || first === "$" ? 1 : 0;
    const word = this.#match(WORD, at + prefix) ?? "";
    const end = at + prefix + word.length;
    if (!this.#terminates(end)) return this.#fail(`bad character ${JSON.stringify(this.#source.charAt(end))}`);
    const kind = wordKind(first, word);
    return this.#emit(kind, at, end) && kind;
  }

  #terminates(at: number): boolean {
    return (
      at >= this.#source.length || TERMINATORS.includes(this.#source.charAt(at)) || this.#source.startsWith("}}", at)
    );
  }
}

function wordKind(first: string, word: string): TokenKind {
  if (first === "$") return "variable";
  if (first === ".") return word === "" ? "dot" : "field";
  if (isKeyword(word)) return word;
  return word === "true" || word === "false" ? "bool" : "identifier";
}
