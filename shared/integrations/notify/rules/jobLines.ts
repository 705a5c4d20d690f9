import type { RepositoryNotice, ScanMetrics } from "./jobSpecNotice.ts";
import { type Line, line, type Piece } from "./message.ts";
import { commitUrl, primaryRepository, pullRequestUrl } from "./repositoryLinks.ts";
import type { JobNotice, Language } from "./taskNotice.ts";
import { inLanguage, labels, sentences, statusWord, type Words } from "./words.ts";

/** What a message says about a job: what it is, how it went, and what its kind adds (contract W 15.4). */
export function jobLines(job: JobNotice, language: Language): Line[] {
  const label = (name: keyof typeof labels) => inLanguage(labels[name], language);
  const word = (name: keyof typeof sentences) => inLanguage(sentences[name], language);
  const head = [
    line(jobTypeWord(job, language), job.displayName),
    line(label("status"), statusWord(job.status, language)),
  ];
  const { spec } = job;
  switch (spec.kind) {
    case "build": {
      const repository = primaryRepository(spec.repositories);
      const image = builtImage(job);
      return [
        ...head,
        ...(repository === undefined ? [] : [line(label("repository"), ...repositoryPieces(repository))]),
        ...(repository === undefined || repository.commitMessage === ""
          ? []
          : [line(label("commitMessage"), repository.commitMessage)]),
        ...(image === "" ? [] : [line(label("image"), image)]),
      ];
    }
    case "deploy": {
      const images = spec.serviceModules.map(({ image }) => image).filter((image) => image !== "");
      return [
        ...head,
        line(label("environment"), spec.environment),
        ...(images.length === 0 ? [] : [line(label("image"), images.join(", "))]),
      ];
    }
    case "test": {
      const counts = [
        `${spec.succeeded}(${word("succeeded")})`,
        `${spec.failed}(${word("failed")})`,
        `${spec.total}(${word("total")})`,
      ];
      return [...head, line(label("testResult"), counts.join(" "))];
    }
    case "scan":
      return [...head, ...scanLines(spec.metrics, label)];
    case "other":
      return head;
  }
}

/** The image of a job that passed, once it is known; empty otherwise (contract W 15.3). */
export function builtImage({ status, spec }: JobNotice): string {
  if (status !== "passed" || spec.kind !== "build") return "";
  return spec.image.includes("{{") ? "" : spec.image;
}

/** Branch or tag, pull requests and the commit's first eight characters. */
function repositoryPieces(repository: RepositoryNotice): Piece[] {
  const { tag, branch, pullRequests, commitId } = repository;
  const linked = (text: string, url: string): Piece => (url === "" ? text : { text, url });
  const pieces: Piece[] = [
    ...(tag === "" && branch === "" ? [] : [tag === "" ? branch : tag]),
    ...pullRequests.toSorted((a, b) => a - b).map((pr) => linked(`PR-${pr}`, pullRequestUrl(repository, pr))),
    ...(commitId === "" ? [] : [linked(commitId.slice(0, 8), commitUrl(repository))]),
  ];
  return pieces.flatMap((piece, at) => (at === 0 ? [piece] : [" ", piece]));
}

function scanLines(metrics: ScanMetrics | undefined, label: (name: keyof typeof labels) => string): Line[] {
  if (metrics === undefined) return [];
  return [
    line(label("qualityGate"), metrics.qualityGateStatus),
    line(label("ncloc"), metrics.ncloc),
    line(label("bugs"), metrics.bugs),
    line(label("vulnerabilities"), metrics.vulnerabilities),
    line(label("codeSmells"), metrics.codeSmells),
    line(label("coverage"), metrics.coverage),
  ];
}

/** Of types that are stored and not run. */
const jobTypes: Readonly<Record<string, Words>> = {
  "zadig-vm-deploy": ["VM Deploy", "主机部署"],
};

/** What a job is in words; a type that has none is returned as it is. */
function jobTypeWord({ type, words: own }: JobNotice, language: Language): string {
  const words = own ?? (Object.hasOwn(jobTypes, type) ? jobTypes[type] : undefined);
  return words === undefined ? type : inLanguage(words, language);
}
