/**
 * A name as records of the operation log have it: whatever a caller sent, refused requests included. Cut, so that a key
 * stays within its 1,024 bytes, and without the separator.
 */
export function named(text: string): string {
  return text.slice(0, 250).toWellFormed().replaceAll("%", "%25").replaceAll("#", "%23");
}

/** Numbers in sort keys keep their order as text up to 999,999,999,999. */
export function padded(number: number): string {
  return String(number).padStart(12, "0");
}
