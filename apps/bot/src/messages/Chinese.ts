import { connect } from "./chinese/Connect.ts"
import { refusals } from "./chinese/Refusals.ts"
import { tasks } from "./chinese/Tasks.ts"
import { waiting } from "./chinese/Waiting.ts"
import { answering } from "./chinese/Answering.ts"
import { plain } from "../text/Escape.ts"
import { access, audit, settings } from "./chinese/Access.ts"
import { profile, redeem } from "./chinese/Account.ts"
import { assistant } from "./chinese/Assistant.ts"
import { artifacts } from "./chinese/Artifacts.ts"
import { asked } from "./chinese/Asked.ts"
import { commands } from "./chinese/Commands.ts"
import { atWork, connecting, disconnecting, replacing } from "./chinese/Connecting.ts"
import { errors, reading, scopes } from "./chinese/Errors.ts"
import { failures } from "./chinese/Failures.ts"
import { help } from "./chinese/Help.ts"
import { page } from "./chinese/Page.ts"
import { shown } from "./chinese/Shown.ts"
import type { Messages } from "./Messages.ts"

/** The texts in Simplified Chinese. */
export const chinese: Messages = {
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
  between: "",
  request: (id) => `请求编号 ${plain(id)}`,
  credit: {
    title: "你的积分",
    text: (left, used, total) => `剩余 **${left}** · 已用 ${used}，共 ${total}`,
    share: (percent) => `已用 ${percent} %`,
    low: "⚠️ 剩余不超过五分之一。用 `/redeem code` 或 `/redeem voucher` 增加积分。",
    hint: (gone) =>
      `⚠️ 你的积分${gone ? "已用完" : "不多了：剩余不超过五分之一"}。用 \`/credit\` 查看，用 \`/redeem code\` 增加积分。`
  }
}
