import type { Readable } from "node:stream";
import { AwsError } from "../awsError.ts";

/**
 * Decodes a body of `Content-Encoding: aws-chunked`: `<hex size>[;extensions]\r\n<bytes>\r\n … 0\r\n<trailers>\r\n`.
 * `trailers` is filled, names in lower case, when the end was read.
 * @throws AwsError IncompleteBody
 */
export async function* decodeAwsChunked(body: Readable, trailers: Map<string, string>): AsyncGenerator<Buffer> {
  const source = new ByteSource(body);
  for (;;) {
    const size = Number.parseInt(await source.line(), 16);
    if (!(size >= 0)) throw incomplete();
    if (size === 0) break;
    yield* source.bytes(size);
    if ((await source.line()) !== "") throw incomplete();
  }
  for (let line = await source.line(); line !== ""; line = await source.line()) {
    const colon = line.indexOf(":");
    trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
}

const LONGEST_LINE_BYTES = 8 * 1024;

class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(body: Readable) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    let end = this.#rest.indexOf("\r\n");
    while (end < 0) {
      if (this.#rest.length > LONGEST_LINE_BYTES) throw incomplete();
      this.#rest = Buffer.concat([this.#rest, await this.#more()]);
      end = this.#rest.indexOf("\r\n");
    }
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    return line;
  }

  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const part = (this.#rest.length > 0 ? this.#rest : await this.#more()).subarray(0);
      const taken = part.subarray(0, left);
      this.#rest = part.subarray(taken.length);
      left -= taken.length;
      yield taken;
    }
  }

  async #more(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done) throw incomplete();
    return value;
  }
}

function incomplete(): AwsError {
  return new AwsError("IncompleteBody", "The request body ended too early or is not aws-chunked");
}
