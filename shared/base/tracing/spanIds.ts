let areGiven = false;
let next: string | undefined;

/** For the SDK: what it asks for the id of a span; undefined unless an id was chosen. */
export function giveSpanIds(): () => string | undefined {
  areGiven = true;
  return () => next;
}

/** Whether the id of a span can be chosen. An SDK that Slipway did not start gives ids of its own. */
export function areSpanIdsGiven(): boolean {
  return areGiven;
}

/** Has the span that `begin` begins bear an id of 16 hex characters. */
export function withSpanId<T>(id: string | undefined, begin: () => T): T {
  next = id;
  try {
    return begin();
  } finally {
    next = undefined;
  }
}
