import type { Language } from "./taskNotice.ts";

/** Two words for the same: English and Chinese (contract W 15.4). */
export type Words = readonly [en: string, zh: string];

export function inLanguage([en, zh]: Words, language: Language): string {
  return language === "zh" ? zh : en;
}

export const labels = {
  executor: ["Executor", "执行用户"],
  projectName: ["Project Name", "项目名称"],
  pendingStage: ["Pending Stage", "等待阶段"],
  startTime: ["Start Time", "开始时间"],
  duration: ["Duration", "持续用时"],
  remark: ["Remark", "备注"],
  status: ["Status", "状态"],
  repository: ["Repository Information", "代码信息"],
  commitMessage: ["Commit Message", "提交信息"],
  image: ["Image Information", "镜像信息"],
  environment: ["Environment", "环境"],
  testResult: ["Test Result", "测试结果"],
  qualityGate: ["Quality Gate", "质量门禁"],
  ncloc: ["Ncloc", "代码行数"],
  bugs: ["Bugs", "Bugs"],
  vulnerabilities: ["Vulnerabilities", "漏洞"],
  codeSmells: ["Code Smells", "代码异味"],
  coverage: ["Coverage", "覆盖率"],
} as const satisfies Record<string, Words>;

export const sentences = {
  workflow: ["workflow", "工作流"],
  scan: ["scanning", "代码扫描"],
  test: ["testing", "测试"],
  approvalWorkflow: ["Workflow", "工作流"],
  waitingForApproval: ["waiting for approval", "等待审批"],
  moreInformation: ["Click for More Information", "点击查看更多信息"],
  succeeded: ["Success", "成功"],
  failed: ["Failed", "失败"],
  total: ["Total", "总数"],
  moreJobs: ["jobs that are not shown:", "未显示的任务:"],
} as const satisfies Record<string, Words>;

const statuses: Readonly<Record<string, Words>> = {
  "": ["Not started", "未执行"],
  passed: ["Passed", "执行成功"],
  failed: ["Failed", "执行失败"],
  cancelled: ["Cancelled", "执行取消"],
  timeout: ["Timeout", "执行超时"],
  reject: ["Rejected", "执行被拒绝"],
  created: ["Created", "开始执行"],
  prepare: ["Preparing", "准备中"],
  running: ["Running", "执行中"],
  waiting: ["Waiting", "等待中"],
  queued: ["Queued", "排队中"],
  skipped: ["Skipped", "跳过"],
  unstable: ["Unstable", "不稳定"],
  wait_for_approval: ["Waiting for confirmation", "等待确认"],
  wait_for_manual_error_handling: ["Waiting for an error decision", "等待错误处理"],
  pause: ["Pause", "暂停"],
};

/** A status in words; one that has none is returned as it is. */
export function statusWord(status: string, language: Language): string {
  const words = Object.hasOwn(statuses, status) ? statuses[status] : undefined;
  return words === undefined ? status : inLanguage(words, language);
}
