import { scopes } from "./Errors.ts"
import type { Messages } from "../Messages.ts"
import { usualScopes } from "../UsualScopes.ts"

/** The privacy notice of every connection. */
const usual = usualScopes(scopes)

/** Texts on connecting an account for a task. */
export const connect = {
  connectFirst: {
    text: [
      "**请先连接你的账号。** 任务在你自己的账号上运行。",
      `页面会请你允许这个机器人${usual.join("、")}。链接仅供你本人使用，10 分钟内有效，只能用一次。`,
      "你的任务已保留：连接后会自动继续，用你连接的那个账号运行。"
    ].join("\n"),
    plainText: (more) =>
      [
        "**请连接你的账号。** 任务在你自己的账号上运行。",
        `页面会请你允许这个机器人${[...usual, ...more].join("、")}。链接仅供你本人使用，10 分钟内有效，只能用一次。`
      ].join("\n"),
    buttonLabel: "连接账号"
  },
  connectedStarting: "你的账号已连接。你之前的请求现在继续处理。",
  connected: "你的账号已连接。",
  waitingWorkResumes: "你之前的请求现在继续处理，结果会显示在原来的消息里。",
  alreadyConnected:
    "你的账号已经连接；用 `/profile` 查看是哪个账号，用 `/task new` 新建任务。如需连接另一个账号，请先使用 `/disconnect`。",
  connectAgain: (userId) =>
    `<@${userId}>，你的账号需要重新连接：服务不再接受原来的连接。没有任何内容丢失，连接后会自动继续。`,
  connectAfterDisconnecting: (userId) =>
    `<@${userId}>，你断开了运行这个任务的账号，所以这里不再显示或发送它的任何内容。以上内容保留不变。重新连接同一个账号后，这个子区会自动继续。`,
  connectAgainPrivate: "你的账号需要重新连接，任务才能开始。任务已保留，连接后会自动开始。",
  connectAgainToStart: (userId) =>
    `<@${userId}>，你的账号需要重新连接，任务才能开始。任务已保留。请使用 \`/connect\`。`,
  notConnected: "你的账号还没有连接。请使用 `/connect`。"
} satisfies Partial<Messages>
