import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorEvent, LineEvents } from "../../../../shared/http/stream/lineEvents.ts";
import { parseEvents } from "../../../harness/eventStream.ts";

/** The stream that comes of a log which arrives in pieces of these sizes. */
function streamOf(log: Buffer, sizes: readonly number[] = [log.length]): string {
  const events = new LineEvents();
  const out: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    out.push(events.push([{ bytes: log.subarray(at, at + size) }]));
    at += size;
  }
  return Buffer.concat([...out, events.push([{ bytes: log.subarray(at) }]), events.end()]).toString();
}

const linesOf = (stream: string): string[] => parseEvents(stream).events.map(({ data }) => data);

describe("a log as events", () => {
  test("is written as the contract has it", () => {
    expect(streamOf(Buffer.from("one\n\nthree\n"))).toBe(
      "event:message\ndata:one\n\nevent:message\ndata:\n\nevent:message\ndata:three\n\n",
    );
  });

  test("loses the carriage return at the end of a line and no other", () => {
    expect(linesOf(streamOf(Buffer.from("one\r\n10%\r20%\r\n\r\nlast\r")))).toEqual(["one", "10%\n20%", "", "last"]);
  });

  test("has its last line though that has no end, and nothing when it is empty", () => {
    expect(linesOf(streamOf(Buffer.from("one\ntwo")))).toEqual(["one", "two"]);
    expect(streamOf(Buffer.from(""))).toBe("");
  });

  test("is the same however it arrives: cut in lines, in line ends and in characters", () => {
    const piece = fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", "\r\r\n", "data:", ":", "é", "日本", "🚢", "event:error"),
      fc.string({ unit: "grapheme", maxLength: 20 }),
    );
    const log = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join("")));
    fc.assert(
      fc.property(log, fc.array(fc.nat(7), { maxLength: 80 }), (bytes, sizes) => {
        const whole = streamOf(bytes);
        expect(streamOf(bytes, sizes)).toBe(whole);
        const wanted = bytes.toString().split("\n");
        if (wanted.at(-1) === "") wanted.pop();
        const shown = wanted.map((line) => line.replace(/\r$/, "").replaceAll("\r", "\n"));
        // Clients take one space after the colon for a part of the notation.
        expect(linesOf(whole)).toEqual(shown.map((line) => line.replaceAll(/^ /gm, "")));
      }),
    );
  });

  test("keeps nothing of a line that does not end", () => {
    const events = new LineEvents();
    const piece = Buffer.alloc(1024, "x");
    expect(events.push([{ bytes: piece }]).toString()).toBe(`event:message\ndata:${piece}`);
    for (let count = 0; count < 1000; count += 1) expect(events.push([{ bytes: piece }])).toEqual(piece);
    expect(events.isOpen).toBe(true);
    expect(events.push([{ bytes: Buffer.from("\n") }]).toString()).toBe("\n\n");
    expect(events.isOpen).toBe(false);
  });

  test("has the id of each line that has one", () => {
    const pieces = [
      { bytes: Buffer.from("begun") },
      { bytes: Buffer.from(" before\n") },
      { id: "a.0", bytes: Buffer.from("") },
      { bytes: Buffer.from("one\n") },
      { id: "a.1", bytes: Buffer.from("two\n") },
    ];
    expect(new LineEvents().push(pieces).toString()).toBe(
      "event:message\ndata:begun before\n\nid:a.0\nevent:message\ndata:one\n\nid:a.1\nevent:message\ndata:two\n\n",
    );
  });

  test("tells its client to come again, and makes no event of a line that was only begun", () => {
    const events = new LineEvents();
    const one = events.push([{ id: "a.0", bytes: Buffer.from("one\n") }]).toString();
    expect(events.comeAgain().toString()).toBe("retry:1000\n\n");
    const two = events.push([{ id: "a.1", bytes: Buffer.from("half") }]).toString();
    expect(parseEvents(one + two + events.comeAgain()).events.map(({ data }) => data)).toEqual(["one"]);
  });

  test("tells of a failure in one event on one line", () => {
    expect(errorEvent("the cluster\r\nis gone").toString()).toBe("event:error\ndata:the cluster is gone\n\n");
  });
});
