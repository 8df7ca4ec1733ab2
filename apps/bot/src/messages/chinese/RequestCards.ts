import { lookup } from "../../text/Lookup.ts"
import { comparable } from "../../text/Comparable.ts"
import { plain } from "../../text/Escape.ts"
import type { Messages } from "../Messages.ts"

/** Cards with the agent's requests. */
export const requestCards: Messages["requestCards"] = {
  titleWithKind: (what, title) => `${what}：${title}`,
  permission: "需要许可",
  untitledRequest: "使用工具",
  question: "提问",
  questionOf: (step, count) => `第 ${step} 个问题，共 ${count} 个`,
  whoMayAnswer: "发起这个任务的人可以回答，发起人或服务器允许的人也可以。",
  deadline: (at) =>
    `⏳ 截止时间 <t:${Math.floor(at / 1000)}:t>（<t:${Math.floor(at / 1000)}:R>）；到时没有回答即视为拒绝。`,
  wholeInFile: (name) => `📎 全部内容在这条消息的文件 \`${name}\` 中。`,
  wholeTooLarge: (size, limit) =>
    `⚠️ 全部内容为 ${size}，超过了这里的附件上限 ${limit}。要看到全部内容，请让智能体分成更小的步骤。`,
  openAgain: (userIds) =>
    userIds.length === 0
      ? "⚠️ Discord 没有告知参与回答的人是否仍可以回答，因此没有发送任何内容。请再发送一次。"
      : `⚠️ ${userIds.map((id) => `<@${id}>`).join("、")} 已不能在这里回答，其回答没有发送。请重新回答。`,
  askedAgain: "⚠️ 智能体再次提出这个请求。之前的回答可能已经送达，因此不会用于这次请求。请重新回答。",
  answered: (allowed, question) => {
    if (allowed === undefined) return "已回答"
    return question ? (allowed ? "已回答" : "已拒绝回答") : allowed ? "已允许" : "未允许"
  },
  answeredBy: (userId, at) => `回答者：<@${userId}>，<t:${Math.floor(at / 1000)}:f>`,
  expired: "未及时回答",
  expiredText: (isRefused) => (isRefused ? "没有人及时回答，因此视为拒绝。" : "没有人及时回答。"),
  sending: "正在提交回答",
  sendingText: "服务还没有确认收到这个回答。",
  sent: "回答已提交",
  sentText: "服务已收到这个回答，但智能体还没有表明它已据此继续。",
  taken: "服务已收到回答",
  takenText: "服务已收到这个回答，这一轮也已结束。智能体没有表明它如何处理了这个回答。",
  notConfirmed: "回答未确认",
  notConfirmedText:
    "服务没有确认收到这个回答，智能体可能没有得到它。如果智能体再次提问，这张卡片会重新打开；如果它在等待，发送 `stop` 可结束这一轮。",
  connectionLost: "无法再回答",
  connectionLostText:
    "智能体提问时的连接已断开，还没有人回答。如果智能体再次提问，这张卡片会重新打开；否则发送 `stop` 可结束这一轮。",
  notShown: "无法显示",
  notShownText: "Discord 没有接受这张卡片，没有人能够回答，因此视为拒绝。",
  withdrawn: "已关闭",
  withdrawnText: {
    stopped: "还没有人回答就有人要求停止，现在无法再回答。",
    disconnected: "还没有人回答，任务的所有者就断开了账号，现在无法回答。",
    interrupted: "还没有人回答，智能体就中断了，现在无法再回答。",
    other: "这里没有人回答过，智能体也不再等待回答。"
  },
  option: (number) => `选项 ${number}`,
  optionName: (name) => lookup(optionNames, comparable(name)) ?? name,
  optionKinds: { allow_once: "允许一次", allow_always: "始终允许", reject_once: "拒绝", reject_always: "始终拒绝" },
  choose: "请选择一项",
  chooseSome: "请选择一项或多项",
  pageOf: (page, count) => `第 ${page} 页，共 ${count} 页`,
  previousOptions: "◀ 上一页选项",
  moreOptions: "更多选项 ▶",
  optional: "（可不填）",
  requestsWaiting: (count) => `-# ✋ 另有 ${count.toLocaleString("en")} 个请求在等候，回答以上请求后再显示。`,
  requestsRefused: (count) => `-# ✋ 智能体一次提出的请求过多：其中 ${count.toLocaleString("en")} 个未经询问已拒绝。`,
  yourAnswer: "你的回答：",
  writeAnswer: "填写回答",
  otherAnswer: "其他",
  writeTitle: "你的回答",
  back: "◀ 上一题",
  next: "下一题 ▶",
  skip: "跳过 ▶",
  send: "提交",
  accept: "接受",
  decline: "拒绝",
  yes: "是",
  no: "否",
  answerHint: ({ atLeast, atMost, kind }) => {
    const what = kind === "integer" ? "整数" : kind === "number" ? "数字" : "文字"
    const unit = what === "文字" ? "个字" : ""
    const bounds = [
      ...(atLeast === undefined ? [] : [`至少 ${atLeast} ${unit}`.trim()]),
      ...(atMost === undefined ? [] : [`最多 ${atMost} ${unit}`.trim()])
    ]
    return [what, ...bounds].join("，")
  },
  answerProblem: (problem) => {
    switch (problem._tag) {
      case "Missing":
        return "这一项必须回答"
      case "WrongKind":
        return `这个回答不是${kinds[problem.kind]}`
      case "NotOffered":
        return `没有“${plain(problem.value.slice(0, 100))}”这个选项`
      case "TooLittle":
        return `不能少于 ${problem.atLeast}`
      case "TooMuch":
        return `不能超过 ${problem.atMost}`
    }
  },
  nothingAnswered: "还没有回答任何问题"
}

const kinds = {
  choice: "可选的选项",
  text: "文字",
  number: "数字",
  integer: "整数",
  boolean: "“是”或“否”"
}

const optionNames: Readonly<Record<string, string>> = {
  allow: "允许",
  "allow once": "允许一次",
  "allow always": "始终允许",
  "always allow": "始终允许",
  "always allow in this session": "始终允许（仅本次会话）",
  yes: "是",
  no: "否",
  deny: "拒绝",
  reject: "拒绝",
  "reject once": "拒绝一次",
  "reject always": "始终拒绝",
  "always reject": "始终拒绝",
  "always deny": "始终拒绝"
}
