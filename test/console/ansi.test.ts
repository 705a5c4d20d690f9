import { expect, test } from "vitest";
import { pieces, plainLine } from "../../console/src/log/ansi.ts";

const start = "\x1b[";

test("a line without colours is one piece", () => {
  expect(pieces("hello")).toEqual([{ text: "hello", look: "" }]);
});

test("colours and bold hold until they end", () => {
  expect(pieces(`a ${start}31mred${start}1m bold${start}0m plain`)).toEqual([
    { text: "a ", look: "" },
    { text: "red", look: "red" },
    { text: " bold", look: "red bold" },
    { text: " plain", look: "" },
  ]);
  expect(pieces(`${start}1;92mgood${start}22;39m.`)).toEqual([
    { text: "good", look: "green bold" },
    { text: ".", look: "" },
  ]);
  expect(pieces(`${start}33mwarned${start}mplain`).at(-1)).toEqual({ text: "plain", look: "" });
});

test("colours of other palettes and what moves the cursor leave nothing behind", () => {
  expect(pieces(`${start}38;5;196mred of 256`)).toEqual([{ text: "red of 256", look: "" }]);
  expect(pieces(`${start}48;2;1;31;3mbackground`)).toEqual([{ text: "background", look: "" }]);
  expect(pieces(`${start}2Kcleared${start}1A`)).toEqual([{ text: "cleared", look: "" }]);
});

test("what is searched and kept in a file has no colours", () => {
  expect(plainLine(`${start}1;31merror${start}0m: no`)).toBe("error: no");
});
