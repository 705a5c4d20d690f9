/**
 * Requests that one piece of work has under way at a cluster: as many as an API server takes on one connection. What comes
 * beside them waits for its turn there, not for a refusal.
 */
export const requestsAtOnce = 100;
