import { expect, test } from "vitest";
import {
  commitsByItself,
  sqlStatements,
  transactionWord,
} from "../../../../shared/integrations/rules/sqlStatements.ts";

test.each([
  ["mysql", "a; b ;c", ["a", "b", "c"]],
  ["mysql", "a 'x;''y\\';z'; b", ["a 'x;''y\\';z'", "b"]],
  ["mysql", 'a "x;""y" ; `o;``p`', ['a "x;""y"', "`o;``p`"]],
  ["mysql", "a -- x;y\n; b # z;\n; /* c; */ d", ["a -- x;y", "b # z;", "/* c; */ d"]],
  ["mysql", "a --5; b", ["a --5", "b"]],
  ["mysql", "-- nothing\n; # nothing\n;/* */;", []],
  ["mysql", "/*!40101 SET x = 1 */;", ["/*!40101 SET x = 1 */"]],
  ["mysql", "a;\nDELIMITER //\ncreate x begin b; c; end//\ndelimiter ;\nd;", ["a", "create x begin b; c; end", "d"]],
  ["mysql", "a 'never ends; b", ["a 'never ends; b"]],
  ["postgresql", "a; b ;c", ["a", "b", "c"]],
  ["postgresql", "a 'x\\'; b", ["a 'x\\'", "b"]],
  ["postgresql", "a E'x\\';y'; b", ["a E'x\\';y'", "b"]],
  ["postgresql", "a $$x;y$$; b $t$ $$;$$ ; $t$; c", ["a $$x;y$$", "b $t$ $$;$$ ; $t$", "c"]],
  ["postgresql", "a $1; b", ["a $1", "b"]],
  ["postgresql", 'a "x;""y" /* b /* c; */ ; */ d; e', ['a "x;""y" /* b /* c; */ ; */ d', "e"]],
  ["postgresql", "/* a /* b; */ ; */ -- c;\n", []],
  ["postgresql", "a # b; c", ["a # b", "c"]],
  ["postgresql", "", []],
] as const)("statements of %s in %j", (dialect, text, statements) => {
  expect(sqlStatements(text, dialect)).toEqual(statements);
});

test("a long text is read at once", () => {
  const values = `insert into t values ('${"it''s; \\\\ ".repeat(100_000)}')`;
  expect(sqlStatements(`${values};${values}`, "mysql")).toEqual([values, values]);
  expect(sqlStatements(`${values};${values}`, "postgresql")).toEqual([values, values]);
});

test.each([
  ["begin", "BEGIN"],
  ["-- now\nCOMMIT AND CHAIN", "COMMIT"],
  ["/* x */ start transaction read only", "START TRANSACTION"],
  ["rollback", "ROLLBACK"],
  ["rollback to savepoint a", undefined],
  ["ROLLBACK WORK TO a", undefined],
  ["savepoint a", undefined],
  ["select 1 as commit", undefined],
  ["beginning", undefined],
])("%j would end or begin a transaction: %s", (statement, word) => {
  expect(transactionWord(statement, "postgresql")).toBe(word);
});

test.each([
  ["CREATE TABLE t (a int)", true],
  ["create temporary table t (a int)", false],
  ["# x\nALTER TABLE t ADD b int", true],
  ["insert into t values ('drop table t')", false],
])("MySQL commits by itself at %j: %s", (statement, does) => {
  expect(commitsByItself(statement, "mysql")).toBe(does);
  expect(commitsByItself(statement, "postgresql")).toBe(false);
});
