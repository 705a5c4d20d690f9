/** Which way of writing a database reads. */
export type SqlDialect = "mysql" | "postgresql";

/** What no delimiter ends within: comments and quoted texts, as each dialect has them. */
const quoted: Readonly<Record<SqlDialect, RegExp>> = {
  mysql:
    /--(?=\s|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*'?|"[^"\\]*(?:(?:\\[\s\S]|"")[^"\\]*)*"?|`[^`]*(?:``[^`]*)*`?/y,
  postgresql:
    /--[^\n]*|(?<![\w$])[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*'?|'[^']*(?:''[^']*)*'?|"[^"]*(?:""[^"]*)*"?|(?<![\w$])\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$\1\$|$)/y,
};
const newDelimiter = /\s*delimiter[ \t]+(\S+)[ \t]*(?:\r?\n|$)/iy;

/**
 * The statements of a text, in order, without their delimiters; what is a comment alone is none. `DELIMITER` of MySQL's
 * client changes the delimiter, so that bodies of procedures hold semicolons; comments of PostgreSQL may hold others.
 */
export function sqlStatements(text: string, dialect: SqlDialect): string[] {
  const statements: string[] = [];
  let [delimiter, begin, at] = [";", 0, 0];
  const end = (next: number) => {
    statements.push(text.slice(begin, at).trim());
    [begin, at] = [next, next];
  };
  while (at < text.length) {
    const isFresh = text.slice(begin, at).trim() === "";
    const changed = dialect === "mysql" && isFresh ? matchAt(newDelimiter, text, begin) : undefined;
    if (changed !== undefined) {
      delimiter = changed[1] ?? ";";
      begin = at = begin + changed[0].length;
    } else if (text.startsWith(delimiter, at)) end(at + delimiter.length);
    else at += quotedLength(text, at, dialect) || 1;
  }
  end(at);
  return statements.filter((statement) => withoutComments(statement, dialect) !== "");
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function quotedLength(text: string, at: number, dialect: SqlDialect): number {
  if (dialect === "postgresql" && text.startsWith("/*", at)) return nestedComment(text, at);
  return matchAt(quoted[dialect], text, at)?.[0].length ?? 0;
}

function nestedComment(text: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex - from;
  }
  return text.length - from;
}

function withoutComments(statement: string, dialect: SqlDialect): string {
  let text = statement.trim();
  // MySQL runs what is in /*! … */.
  while (/^(?:--|#|\/\*(?!!))/.test(text)) {
    const length = quotedLength(text, 0, dialect);
    if (length === 0) return text;
    text = text.slice(length).trim();
  }
  return text;
}

const transactionWords =
  /^(begin|start\s+transaction|commit|rollback(?!\s+(?:work\s+)?to\b)|end|abort|prepare\s+transaction)\b/i;

/** The word of a statement that would begin or end a transaction itself; undefined for others. */
export function transactionWord(statement: string, dialect: SqlDialect): string | undefined {
  return transactionWords.exec(withoutComments(statement, dialect))?.[1]?.toUpperCase();
}

const committing =
  /^(alter|analyze|create(?!\s+temporary)|drop(?!\s+temporary)|grant|install|lock|optimize|rename|repair|revoke|truncate|uninstall)\b/i;

/** Whether MySQL commits by itself before and after a statement, so that no transaction takes it back. */
export function commitsByItself(statement: string, dialect: SqlDialect): boolean {
  return dialect === "mysql" && committing.test(withoutComments(statement, dialect));
}
