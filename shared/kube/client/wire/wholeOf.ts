import type { Readable } from "node:stream";
import { ClusterAnswerUnreadable } from "../errors.ts";

const longestBytes = 256 * 1024 * 1024;

/**
 * Everything that a stream brings; it is read from this very moment.
 * @param isComplete whether its end is that of the answer, not of a connection that was lost
 * @throws ClusterAnswerUnreadable beyond 256 MB; what broke otherwise
 */
export function wholeOf(stream: Readable, isComplete: () => boolean = () => true): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const cutOff = () => reject(new Error("the connection closed before the answer was complete"));
    stream.on("data", (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size > longestBytes)
        stream.destroy(new ClusterAnswerUnreadable(`the answer is longer than ${longestBytes} bytes`));
    });
    stream.once("end", () => (isComplete() ? resolve(Buffer.concat(parts)) : cutOff()));
    stream.once("error", reject);
    stream.once("close", cutOff);
  });
}
