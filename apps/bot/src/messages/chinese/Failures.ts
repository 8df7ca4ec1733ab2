import { plain } from "../../text/Escape.ts"
import { lookup } from "../../text/Lookup.ts"
import type { Messages } from "../Messages.ts"

/** Services differ in whether they charge a turn that fails. */
const before = "此前完成的内容显示在上方；是否为此扣除积分，可以用 `/credit` 查看。"

const another = "也可以用 `/task new` 新建任务。"

/** What our own service reports of its agent, whose words are English. */
const reasons: Readonly<Record<string, string>> = {
  agent_attachments: "智能体没有收到消息中的文件。",
  agent_exited: "智能体的程序意外结束了。",
  agent_limit: "同时工作的智能体太多，请稍后再试。",
  agent_lost: "与智能体的连接已中断。",
  agent_not_found: "智能体的程序无法启动，需要由此服务的运营者更正。",
  agent_not_offered: "此服务不再提供这个任务的智能体。",
  agent_refused: "智能体无法处理这个任务。",
  agent_sign_in: "智能体需要登录，或其模型的服务拒绝了它的密钥。需要由此服务的运营者更正。",
  agent_silent: "智能体没有回应。",
  agent_version: "智能体使用的协议版本不受支持，需要由此服务的运营者更正。"
}

/** Failures of the agent, in its words, in those of the service, or without any. */
const ofAgent: Pick<
  Messages["failures"],
  | "agentEnded"
  | "agentForgot"
  | "agentReported"
  | "agentUnclear"
  | "keyRefused"
  | "quotaUsedUp"
  | "serviceRefused"
  | "serviceReported"
> = {
  serviceReported: (said, reason) => ({
    happened: `${lookup(reasons, reason) ?? ""}服务报告：${said}`,
    changed: "",
    next: ""
  }),
  agentReported: (said) => ({
    happened: `智能体报告：${said}`,
    changed: before,
    next: "你可以在这里继续发消息。"
  }),
  keyRefused: (said) => ({
    happened: `智能体报告：${said}`,
    changed: before,
    next: "很可能是其模型的服务拒绝了智能体的密钥。如果是这样，需要由此服务的运营者更正，之后再发消息才有用。"
  }),
  quotaUsedUp: (said) => ({
    happened: `智能体报告：${said}`,
    changed: before,
    next: "很可能是其模型服务的账户额度已用完。如果是这样，需要由此服务的运营者处理，或者过一段时间再发消息。"
  }),
  serviceRefused: (ownerId) => ({
    happened: "服务没有继续处理这条消息，原因不公开显示。",
    changed: before,
    next: `<@${ownerId}> 可以用 \`/credit\` 和 \`/profile\` 查看，然后重新发送。`
  }),
  agentEnded: {
    happened: "智能体的程序已经结束，无法继续。",
    changed: before,
    next: `请重试；${another}`
  },
  agentForgot: {
    happened: "智能体已经不认识这个任务。",
    changed: "你的消息没有送达智能体，也没有扣除积分。",
    next: "可以用 `/task new` 新建任务。"
  },
  agentUnclear: {
    happened: "机器人无法理解智能体的答复方式。",
    changed: before,
    next: `请告知机器人的管理者；${another}`
  }
}

/** Failures outside of the service's API: in the bot, at Discord, in the agent, with a file. */
export const failures: Messages["failures"] = {
  ...ofAgent,
  internal: (id) => ({
    happened: "机器人内部出错了。",
    changed: "没有再向任务发送任何内容。",
    next: `请重试；如果再次出现，请反馈这个编号：\`${id}\`。`
  }),
  cannotPost: {
    happened: "我没有在这个频道发言的权限。",
    changed: "没有开启子区，也没有扣除积分。",
    next: "请管理员为我开启这些权限：查看频道、发送消息、创建公共子区、在子区内发送消息、嵌入链接、附加文件、阅读消息历史记录。"
  },
  discordRefused: (said) => ({
    happened: `Discord 没有接受这个请求（${said}）。`,
    changed: "没有扣除积分。",
    next: "请重试。"
  }),
  taskGone: {
    happened: "在任务主人现在连接的账号下已经找不到这个任务，无法继续。",
    changed: "智能体已经收到的消息可能会在任务所属的账号上继续处理，并扣除积分；其他消息没有发送，也不扣除积分。",
    next: "可以用 `/task new` 新建任务。"
  },
  otherAccount: {
    happened: "请求时连接的是另一个账号，之后换了账号。",
    changed: "现在连接的账号没有扣除积分。",
    next: "如需用现在的账号启动，请重新请求。"
  },
  runFailed: {
    happened: "服务报告：智能体处理这条消息失败。",
    changed: before,
    next: "你可以在这里继续发消息。"
  },
  taskEnded: {
    happened: "这个任务在云端已经结束，不再接收消息。",
    changed: before,
    next: "可以用 `/task new` 新建任务。"
  },
  taskUnreachable: (minutes) => ({
    happened: `${minutes < 1 ? "" : ` ${minutes} 分钟内都`}无法连接到任务，所以对你消息的回答可能缺失或不完整。`.trim(),
    changed: "如果消息在此之前已经送达，智能体可能会继续工作，并照常计费。",
    next: "如果没有回答，请稍后重新发送。"
  }),
  stillAtWork: {
    happened: "智能体仍在处理已要求停止的那条消息，所以这条消息没有发送。",
    changed: "这条消息不扣除积分；被停止的那条消息照常扣除积分。",
    next: `智能体停止后，可以用下面的按钮发送这条消息。${another}`
  },
  deliveryUnknown: (areFilesUnsent) => ({
    happened: "无法确定智能体是否收到了这条消息。",
    changed: `没有再次发送${areFilesUnsent ? "，其中的文件也没有发送" : ""}。如果智能体已经收到，它的工作照常扣除积分。`,
    next: `请先查看智能体做了什么；如果没有处理这条消息，可以用下面的按钮${areFilesUnsent ? "连同文件" : ""}再次发送。`
  }),
  filesNotSent: {
    happened: "你的文件没有发送，因为对你文字的处理没有正常结束。",
    changed: "智能体没有收到这些文件，也没有为它们扣除积分。",
    next: "可以用下面的按钮发送。"
  },
  channelRefused: (said) => ({
    happened: `任务的通道拒绝了机器人：${said}。`,
    changed: "你的消息没有送达智能体，也没有扣除积分。",
    next: `请重试；${another}`
  }),
  accountStopped: (ownerId) => ({
    happened: `服务无法继续用 <@${ownerId}> 的账号运行这个任务。`,
    changed: "这条消息没有扣除积分。",
    next: "任务的主人可以用 `/credit` 查看原因，然后重新发送消息。"
  }),
  unsupportedContent: (type) => ({
    happened: `这个任务的智能体不接受 ${type} 类型的内容。`,
    changed: "没有向它发送任何内容，也没有扣除积分。",
    next: "请去掉这部分后重新发送。"
  }),
  attachmentTooLarge: (name, size) => ({
    happened: `加上 **${plain(name)}**，这条消息共有 ${size} 的文件，而一条消息最多只能带 25 MB。`,
    changed: "没有向任务发送任何内容，也没有扣除积分。",
    next: "请减少文件，或只发送其中一部分。"
  }),
  attachmentUnreadable: (name) => ({
    happened: `无法从 Discord 获取 **${plain(name)}**。`,
    changed: "没有向任务发送任何内容，也没有扣除积分。",
    next: "请重新发送这条消息。"
  }),
  noAccount: {
    happened: "你的账号还没有连接。",
    changed: "没有任何改动，也没有扣除积分。",
    next: "请先用 `/connect` 连接账号，然后重试。"
  },
  reconnectGivenUp: (prompted) => ({
    happened: "在等待连接账号期间，这次回答被停止了。",
    changed: prompted
      ? "智能体之前已经收到消息：到那时为止的工作照常扣除积分，并且可能在云端继续。"
      : "智能体没有收到你的消息，也没有为它扣除积分。",
    next: prompted ? "请用 `/connect` 连接账号，然后在这里继续发消息。" : "请用 `/connect` 连接账号，然后重新发送。"
  })
}
