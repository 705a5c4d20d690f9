/** On the Job, its pod, its Secret and its claims: the id of the job's record. */
export const jobLabel = "slipway.dev/job";

/** Lines of the main container's termination message that are no outputs begin so. */
export const statusMark = "!";
/** What the main container prints for Slipway is between these lines. */
export const reportMarks = { begin: "==slipway report==", end: "==slipway report end==" } as const;
export const outputMarks = { begin: "==slipway outputs==", end: "==slipway outputs end==" } as const;

/** Outputs of a job as JSON (contract W 7). */
export const maxOutputBytes = 4096;
/** A report beyond this, compressed, would meet the 10 MiB after which nodes begin a new log file. */
export const maxReportBytes = 4 * 1024 * 1024;
