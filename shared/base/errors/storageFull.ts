/** Primary result codes of SQLite: the disk is full; writing failed, as it does for files beside the database then. */
const sqliteCodes: readonly number[] = [13, 10];
const systemCodes: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** Whether something failed because a disk, or what a user may have of it, is full: the table's, or that of any file. */
export function isStorageFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, errcode } = cause as { code?: unknown; errcode?: unknown };
    if (systemCodes.includes(code)) return true;
    // The lowest byte of an extended code is the primary one.
    if (typeof errcode === "number" && sqliteCodes.includes(errcode & 0xff)) return true;
  }
  return false;
}
