/**
 * Where uploads in chunks go on, noted outside of the process that sends them, so that the next one sends the rest alone.
 * A note may be lost or be of an upload that the registry has given up: then the blob begins again.
 */
export interface UploadNotes {
  /** @param blob names registry, repository and digest */
  find(blob: string): Promise<string | undefined>;
  /** @param place the upload's address; undefined: the upload has ended */
  note(blob: string, place: string | undefined): Promise<void>;
}
