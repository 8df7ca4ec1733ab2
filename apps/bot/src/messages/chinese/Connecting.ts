import { plain } from "../../text/Escape.ts"
import type { Messages } from "../Messages.ts"

/** Connecting an account, apart from the link's texts. */
export const connecting: Messages["connecting"] = {
  howTo: "在页面上同意后，会看到一个验证码。请回到这里，点击 **输入验证码** 并填写。",
  enterCode: "输入验证码",
  codeLabel: "页面上的验证码",
  codeDescription: "8 位字母和数字。只填写你自己打开的页面上的验证码。",
  wrongCode: (left) => `这不是页面上的验证码。还没有连接任何账号；还可以再试 ${left} 次。`,
  tooOften: "验证码错误次数过多，已作废。没有连接任何账号。请用 `/connect` 重新开始。",
  noPendingCode:
    "没有账号在等待验证码：可能已经用过、已经过期，或者还没有走到页面那一步。没有因此连接任何账号。请用 `/connect` 获取新链接。",
  signInExpired: "服务不再接受这次登录。没有连接任何账号。请用 `/connect` 获取新链接。",
  linkOutcomes: {
    over: "已结束，没有连接任何账号。请用 `/connect` 重新开始；你要新建的任务已保留。",
    denied: "你在页面上没有允许访问，因此没有任何改动。如果改变主意，点击按钮获取新链接；你要新建的任务会保留到那时。",
    failed: "页面上的登录没有完成，因此没有任何改动。点击按钮获取新链接；你要新建的任务会保留到那时。",
    offered: "你登录的账号与这里连接的账号不同。还没有任何改动：另一条私密消息会问你要用哪个账号。",
    kept: "没有任何改动：原来的账号保持连接。请再用一次刚才的命令。"
  },
  startsTasks: "用 `/task new` 新建任务。",
  connectedAccount: (nickname) =>
    `连接的是账号${named(nickname)}；如果想用另一个账号，请先 \`/disconnect\`，再 \`/connect\`。`,
  worksAgain: "等待它的内容会自动继续。",
  allowed: (what) => `现在这个机器人可以${what.join("、")}。请再用一次刚才的命令。`,
  notAllowed: (what) => `你没有允许这个机器人${what.join("、")}；之前允许的保持不变。需要它的命令会再次询问。`,
  allowButton: "允许",
  openPage: "打开页面",
  allowMore: (what) =>
    `**再允许一项。** 页面会请你在之前允许的基础上，再允许这个机器人${what.join("、")}。链接仅供你本人使用，10 分钟内有效，只能用一次。`,
  scopesToStart: (what) =>
    `运行任务需要你允许机器人${what.join("、")}。任务还没有启动，也没有扣除积分。你的消息会保留：点击按钮允许后，任务会自动启动。`,
  missingScopes: (what) => `这个命令需要你允许机器人${what.join("、")}。请点击按钮允许，然后再用一次这个命令。`
}

/** A different account than the connected one. */
export const replacing: Messages["replacing"] = {
  question: (before, after) =>
    `**这是另一个账号。** 你登录的是${after === undefined ? "一个名称未知的账号" : named(after)}。你在这里原有的账号${before === undefined ? "" : `${named(before)}`}会被替换。`,
  choose: "还没有任何改动。你可以在 15 分钟内选择；过后一切保持原样。",
  replace: "替换账号",
  keepAccount: "保留原来的账号",
  replaced: (after) =>
    `✅ 现在连接的是${after === undefined ? "你刚登录的账号" : named(after)}。我不再能访问之前的账号。`,
  kept: "没有任何改动：原来的账号保持连接。我不能访问另一个账号。",
  over: "这个问题已经结束：之前已回答过，或者时间已过。用 `/profile` 查看连接的是哪个账号。"
}

/** Disconnecting. */
export const disconnecting: Messages["disconnecting"] = {
  question: "**要断开你的账号吗？**",
  choose: "还没有任何改动。",
  disconnect: "断开连接",
  stayConnected: "保持连接",
  kept: "没有任何改动：你的账号保持连接。",
  done: {
    confirmed: "已断开连接。机器人不再保留对你账号的访问，服务也已终止授权。",
    pending:
      "已断开连接。机器人不再使用你的账号。正在通知服务，但服务还没有确认；我会自动再次通知，直到确认为止。在此之前，它可能仍把这个机器人列在“已连接的应用”中，你可以在那里移除。",
    unconfirmed:
      "已断开连接。机器人不再保留对你账号的访问。没有通知服务：它可能仍把这个机器人列在“已连接的应用”中，你可以在那里移除。"
  },
  work: (stopped, left) => [
    ...(stopped > 0 ? [`已停止 ${stopped} 个任务。`] : []),
    ...(left > 0
      ? [
          `有 ${left} 个任务没能及时停止：工作可能在云端继续，并照常扣除积分。如需停止，请重新连接账号，然后使用 \`/task stop\`。`
        ]
      : [])
  ]
}

/** The work on the connected account, one line each. */
export const atWork: Messages["atWork"] = ({ redemptions, shared, tasks }) => [
  ...(tasks > 0
    ? [
        `⚠️ 你有 **${tasks} 个任务正在工作**，或有消息在等待。如果几秒内能联系到智能体，我会先停止工作；否则工作会在云端继续，并扣除积分。没有目前连接的账号，这里不会显示，也不会发送任何内容。`
      ]
    : []),
  ...(shared > 0 ? [`⚠️ 你让别人使用了你的 **${shared} 个任务**。没有目前连接的账号，他们不能使用。`] : []),
  ...(redemptions > 0
    ? [`⚠️ 还不知道 **${redemptions} 个兑换码** 是否兑换成功；没有目前连接的账号，我无法查询结果。`]
    : [])
]

const named = (name: string): string => ` **${plain(name)}** `
