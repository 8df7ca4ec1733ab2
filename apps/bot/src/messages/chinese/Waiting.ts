import type { Messages } from "../Messages.ts"

/** Messages that wait for the agent. */
export const waiting = {
  queue: {
    account: "-# ⏳ 正在等待这个子区所用的账号连接。编辑或删除你的消息即可调整队列。",
    answer: "-# ⏳ 正在等待当前回答结束。编辑或删除你的消息即可调整队列。",
    question: "-# ✋ 智能体正在等待有人回答这个子区里的提问，下面的消息也在一起等待。编辑或删除你的消息即可调整队列。",
    more: (more) => `-# … 还有 ${more} 条`
  },
  readLate: "-# ⏳ 我刚才不在线。现在按顺序读取你这段时间写的消息。",
  stillWaiting: (waiting) =>
    waiting === 1
      ? "还有一条消息在等待，当前回答结束后就会处理；如果不需要，请删除它。"
      : `还有 ${waiting} 条消息在等待，当前回答结束后会依次处理；如果不需要，请删除它们。`,
  neverAsked: (messages) =>
    messages === 1
      ? "-# 这条消息等待期间子区被关闭了，智能体没有收到它。如果仍然需要，请重新发送。"
      : `-# 这条消息和其后的 ${messages - 1} 条消息等待期间子区被关闭了，智能体没有收到它们。请重新发送仍然需要的内容。`,
  typedAsText: (commands) =>
    `这条消息只是普通文字：没有执行任何操作，也没有发给智能体。请直接点击命令，或输入 \`/\` 后从列表中选择：${commands.map((path) => `\`/${path}\``).join("、")}`,
  editedTooLate: "-# 智能体已经收到这条消息的原文。需要修改的内容请另发一条消息。",
  agentSilent: (seconds) =>
    `-# ⏳ 智能体已有 ${seconds} 秒没有任何输出。可能是模型响应较慢，或者智能体正在重试。发送“停止”可结束本轮。`,
  waitingForService: "-# ⏳ 暂时无法连接到服务。我会继续尝试，不会丢失任何内容。",
  waitingForCreation: "-# ⏳ 服务仍在创建任务。我会继续等待，不会丢失任何内容。",
  filesFollow: "-# 📎 这个服务先只处理了你的文字。你的文件会在第二次提示中发给智能体，与其他提示一样计费。",
  filesNotTaken: (names) => `-# ⚠️ 这个任务的智能体不接受这类文件，因此只告诉它有这些文件：${names}`
} satisfies Partial<Messages>
