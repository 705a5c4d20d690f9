/** The chat service says no, and would say it again; the message is for people. */
export class VendorRefused extends Error {
  override readonly name = "VendorRefused";
  /** As the service gives it; empty where it was not asked. */
  readonly code: string;

  constructor(message: string, code = "") {
    super(message);
    this.code = code;
  }
}

/** No answer, or not now: worth another try; the message is for people. */
export class VendorUnavailable extends Error {
  override readonly name = "VendorUnavailable";
}

/** A callback that the app's keys did not sign. */
export class CallbackRefused extends Error {
  override readonly name = "CallbackRefused";
}
