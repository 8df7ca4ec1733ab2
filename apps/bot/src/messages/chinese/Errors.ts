import type { Messages } from "../Messages.ts"
import { errorTexts } from "../ErrorTexts.ts"
import type { ScopeTexts } from "../UserError.ts"

const quoted = (said: string | undefined): string => (said === undefined ? "" : `：${said}`)

const checkTaskList = "请先用 `/task list` 查看，再决定是否重试。"

/**
 * The texts for the service's errors: first what each says about changes and charges, then what happened and what to do
 * next.
 */
export const errors = errorTexts(
  {
    nothing: "没有任何改动，也没有扣除积分。",
    unknown: "尚不清楚是否已生效、是否已扣除积分。",
    Conflict: "没有重复执行，也没有重复扣除积分。",
    OutcomeUnknown: "尚不清楚是否已生效、是否已扣除积分。"
  },
  {
    NotAccepted: ({ said }) => ({
      happened: `服务没有接受这个请求${quoted(said)}。`,
      next: "请修改后重试；用 `/help` 查看各命令的用法。"
    }),
    NotConnected: () => ({
      happened: "服务不再接受这个账号的连接。",
      next: "请先用 `/connect` 连接账号，然后重试。"
    }),
    NotConnectedYet: ({ said }) => ({
      happened: `未能连接账号${quoted(said)}。`,
      next: "请用 `/connect` 重新开始。"
    }),
    NotSetUp: ({ said }) => ({
      happened: `这个机器人在服务端的接入配置有误${quoted(said)}。`,
      next: "请告知机器人的管理者；在修复之前，需要服务的命令都无法使用。"
    }),
    NotAllowed: ({ said }) => ({
      happened: `服务不允许这个操作${quoted(said)}。`,
      next: "可以用 `/profile` 查看连接的是哪个账号。如果一直这样，请告知机器人的管理者。"
    }),
    SignInRequired: ({ said }) => ({
      happened: `服务要求先登录${quoted(said)}。`,
      next: "请先在服务的网站上登录，再用 `/connect` 连接账号，然后重试。"
    }),
    PreconditionFailed: ({ said }) => ({
      happened: `服务要求先授权这个机器人${quoted(said)}。`,
      next: "请依次使用 `/disconnect` 和 `/connect`，然后重试。"
    }),
    AccessDenied: ({ said }) => ({
      happened: `服务不允许这个操作${quoted(said)}。`,
      next: "可以用 `/credit` 查看是否还有剩余积分。"
    }),
    InsufficientScope: ({ missing }) => ({
      happened: `当前连接的授权不够${missing.length === 0 ? "" : `，机器人还不能${missing.join("、")}`}。`,
      next: "请点击按钮或使用 `/connect` 允许它，然后再试。"
    }),
    NotFound: ({ said }) => ({
      happened: `服务找不到它，可能已经不存在了${quoted(said)}。`,
      next: "可以用 `/task list` 查看现有的任务。"
    }),
    Conflict: ({ said }) => ({
      happened: `这个操作已经完成过，或者现在无法进行${quoted(said)}。`,
      next: "可以用 `/task list` 查看当前情况。"
    }),
    RateLimited: ({ wait }) => ({
      happened: "请求太多，服务正忙。",
      next: `请在 ${wait === undefined ? "1 分钟" : `${wait} 秒`}后重试。`
    }),
    ServiceFailure: () => ({
      happened: "服务自身出现了故障。",
      next: "请过几分钟再试。"
    }),
    EnvelopeError: ({ said }) => ({
      happened: `服务报告了自身的故障${quoted(said)}。`,
      next: checkTaskList
    }),
    ContractViolation: () => ({
      happened: "服务返回的内容无法识别。",
      next: checkTaskList
    }),
    Unreachable: () => ({
      happened: "无法连接到服务。",
      next: "请过几分钟再试。"
    }),
    OutcomeUnknown: () => ({
      happened: "服务还没有答复，连接就中断了。",
      next: checkTaskList
    })
  }
)

/** Replacements for reads. */
export const reading: Messages["reading"] = {
  changed: "",
  next: {
    InvalidRequest: "请修改填写的内容后重试。",
    AccessDenied: "如果一直这样，请就你的账号联系服务的客服。",
    NotFound: "它可能属于另一个账号：用 `/profile` 查看现在连接的账号，用 `/task list` 查看其任务。",
    Conflict: "请重试。",
    EnvelopeError: "请过几分钟再试。",
    ContractViolation: "请重试；如果一直这样，请告知机器人的管理者。",
    OutcomeUnknown: "请重试。"
  }
}

/** Replacements for a message that the agent did not get. */
export const unsent: Messages["unsent"] = {
  changed: "智能体没有收到你的消息，也没有为它扣除积分。",
  next: { InsufficientScope: "请用 `/connect` 允许它，然后重新发送消息。" }
}

/** Replacements for a message that the agent may have: sent again, it may be charged twice. */
export const perhapsSent: Messages["perhapsSent"] = {
  changed: "如果消息已经送达智能体，它可能会继续处理，并照常扣除积分。",
  next: {
    InvalidClient: "请告知机器人的管理者。",
    InvalidScope: "请告知机器人的管理者。",
    InsufficientScope: "请用 `/connect` 允许它。重新发送消息之前，请先用 `/task list` 查看。"
  },
  otherwise: "重新发送消息之前，请先用 `/task list` 查看。"
}

/** The purpose of each scope. */
export const scopes = {
  "user.profile.readable": "查看你的个人资料",
  "user.contact.readable": "核对某个手机号是否属于你",
  "user.credit.readable": "查看你的积分",
  "user.credit.exchange": "为你兑换积分",
  "user.localassistant.readable": "读取你的本地助手的消息",
  "user.localassistant.invokable": "给你的本地助手发消息",
  "user.task.readable": "查看你的任务",
  "user.task.invokable": "为你运行任务"
} satisfies ScopeTexts
