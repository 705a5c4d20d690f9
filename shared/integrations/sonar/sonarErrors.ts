/** A SonarQube server that says no, or something that it does not say: asking again changes nothing. */
export class SonarRefused extends Error {
  override readonly name = "SonarRefused";
}

/** A SonarQube server that did not answer in time or failed: worth another try. */
export class SonarUnavailable extends Error {
  override readonly name = "SonarUnavailable";
}
