import type { ApiResponse } from "../exchange.ts";

/** What AWS Lambda takes as the answer of a function that does not stream. */
export const maxAnswerBytes = 6_291_556;

/** A character of a body may become six, `\u0000`, in the JSON around it. */
const maxGrowth = 6;

/** Whether Lambda takes it: it counts the JSON around the body, in which every quotation mark of the body grows. */
export function fitsLambda({ statusCode, headers, body }: ApiResponse): boolean {
  let atMost = maxGrowth * (body.length + 100);
  for (const [name, value] of Object.entries(headers)) atMost += maxGrowth * (name.length + value.length + 6);
  return atMost <= maxAnswerBytes || Buffer.byteLength(JSON.stringify({ statusCode, headers, body })) <= maxAnswerBytes;
}
