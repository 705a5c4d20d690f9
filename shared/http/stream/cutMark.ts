import * as z from "zod";

/** In an answer that is an object, beside its list. */
export const cutMark = {
  truncated: z.literal(true).optional().meta({
    description: "Only present when the list would have made the answer too large: it holds the first entries",
  }),
};
