import type { Messages } from "../Messages.ts"

/** Answering the agent's requests. */
export const requestAnswers = {
  answerSettled: "这个问题已经回答过，或者不能再回答。",
  answeredBefore: (userId) => `<@${userId}> 已经回答过。你的点击没有改变任何内容。`,
  answersDropped: (userIds) =>
    `${userIds.map((id) => `<@${id}>`).join("、")} 已不能在这里回答，其回答已被移除。还没有发送任何内容：请查看问题后再发送。`,
  answersKept:
    "Discord 目前没有告知参与回答的人是否仍可以回答。还没有发送任何内容，所有回答都已保留。请过一分钟再发送。",
  answerUnconnected: (ownerId) =>
    `这个任务在 <@${ownerId}> 的账号上运行，而该账号目前没有连接，所以无法回答。你的点击没有改变任何内容。所有者用 \`/connect\` 重新连接后，智能体可以再次提问。`,
  answerTooLate: "回答时间已过，已视为拒绝。你的点击没有改变任何内容。",
  answerNotWaited: "智能体不再等待这个回答。你的点击没有改变任何内容。",
  answerConnectionLost:
    "智能体提问时的连接已断开，现在无法回答。你的点击没有改变任何内容。如果智能体再次提问，卡片会重新打开。",
  answerInvalid: (problem) => `${problem}。你的回答已保留，还没有提交。`,
  answerSlow: "机器人正忙，没有任何改动。请再点一次按钮。",
  buttonUnknown: "这个按钮来自旧版本的机器人。没有任何改动。用 `/help` 查看可用的命令。",
  commandUnknown: "这个命令来自旧版本的机器人。没有任何改动。用 `/help` 查看可用的命令。"
} satisfies Partial<Messages>
