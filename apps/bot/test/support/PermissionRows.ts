import type { PermissionRow } from "@heddle/bot/store/PermissionRow"

/** An open form without questions; `more` replaces its columns. */
export const permissionRow = <More extends Partial<PermissionRow>>(more: More): PermissionRow & More => ({
  permissionId: "p",
  turnId: "2",
  threadId: "3",
  fingerprint: "f",
  toolCallId: "",
  form: "elicitation",
  title: "Form",
  detail: "",
  wholeDetail: undefined,
  options: [],
  questions: [],
  draft: {},
  draftedBy: {},
  removedAuthors: undefined,
  questionIndex: 0,
  optionPage: 0,
  deadlineAt: 9000,
  afterEntries: 0,
  afterChars: 0,
  afterText: undefined,
  afterSteps: undefined,
  state: "open",
  answer: undefined,
  answeredBy: undefined,
  answeredAt: undefined,
  handedOver: false,
  sent: false,
  confirmed: false,
  ...more
})
