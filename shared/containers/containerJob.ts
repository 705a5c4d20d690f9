export type {
  ArchiveStep,
  CommandStep,
  ContainerJob,
  ContainerJobRef,
  ContainerStep,
  GitStep,
  ImageBuildStep,
  ScriptStep,
} from "../domain/container/containerJob.ts";
