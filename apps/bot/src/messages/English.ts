import { connect } from "./english/Connect.ts"
import { refusals } from "./english/Refusals.ts"
import { tasks } from "./english/Tasks.ts"
import { waiting } from "./english/Waiting.ts"
import { answering } from "./english/Answering.ts"
import { plain } from "../text/Escape.ts"
import { access, audit, settings } from "./english/Access.ts"
import { profile, redeem } from "./english/Account.ts"
import { assistant } from "./english/Assistant.ts"
import { artifacts } from "./english/Artifacts.ts"
import { asked } from "./english/Asked.ts"
import { commands } from "./english/Commands.ts"
import { atWork, connecting, disconnecting, replacing } from "./english/Connecting.ts"
import { errors, reading, scopes } from "./english/Errors.ts"
import { failures } from "./english/Failures.ts"
import { help } from "./english/Help.ts"
import { page } from "./english/Page.ts"
import { shown } from "./english/Shown.ts"

/** The English texts. Commands in backticks become mentions where they are registered. */
export const english = {
  ...connect,
  ...refusals,
  ...tasks,
  ...waiting,
  ...answering,
  access,
  artifacts,
  asked,
  assistant,
  atWork,
  audit,
  commands,
  connecting,
  disconnecting,
  errors,
  failures,
  help,
  page,
  profile,
  reading,
  redeem,
  replacing,
  scopes,
  settings,
  shown,
  /** The separator of two sentences. */
  between: " ",
  request: (id: string) => `request ${plain(id)}`,
  credit: {
    title: "Your credits",
    text: (left: string, used: string, total: string) => `**${left}** left · ${used} of ${total} used`,
    share: (percent: number) => `${percent} % used`,
    low: "⚠️ A fifth or less is left. `/redeem code` and `/redeem voucher` add credits.",
    /** Sent once, in private, after a task has used that much. */
    hint: (gone: boolean) =>
      `⚠️ Your credits are ${gone ? "used up" : "running low: a fifth or less is left"}. \`/credit\` shows how they stand, \`/redeem code\` adds some.`
  }
}
