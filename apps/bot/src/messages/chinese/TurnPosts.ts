import { plain } from "../../text/Escape.ts"
import type { Messages } from "../Messages.ts"

/** The texts of a turn's posts, apart from the agent's words. */
export const turnPosts: Messages["turnPosts"] = {
  startedHeader: (userId, name, prompt, files) =>
    [
      `<@${userId}> 发起了任务：**${plain(name)}**`,
      ...(prompt === "" ? [] : [`> ${plain(prompt)}`]),
      ...(files.length === 0 ? [] : [`📎 ${files.map(plain).join("、")}`])
    ].join("\n"),
  openedHeader: (userId, name) => `<@${userId}> 在这里打开了任务：**${plain(name)}**`,
  plan: "计划",
  planVersion: (version) => `第 ${version} 版`,
  planChange: (added, removed) => `新增 ${added} 行，删除 ${removed} 行`,
  tasks: "任务清单",
  tasksDone: (done, total, cancelled) =>
    `**已完成 ${done}/${total}**${cancelled === 0 ? "" : ` · 已取消 ${cancelled}`}`,
  taskStates: { completed: "已完成", in_progress: "进行中", pending: "待办", cancelled: "已取消" },
  summary: "总结",
  deleted: (title) => `已删除：${title}`,
  fileDeleted: (name) => `🗑️ ${plain(name)} 已被删除`,
  sameFile: (line, twin) => `${line} — 与 ${plain(twin)} 内容相同`,
  fileTooLarge: (limit) => `文件太大，无法附在这里：上限为 ${limit}。点击按钮可获取私密下载链接。`,
  fileMissing: (name) =>
    `📎 无法从任务中获取 ${plain(name)}。没有任何改动，也没有扣除积分。用 \`/artifacts download\` 重试；任务再次报告该文件时，它会出现在这里。`,
  attachmentTooLarge: (name, size, limit) =>
    `📎 ${plain(name)} · ${size} — 太大，无法发到这里：上限是 ${limit}。可以让智能体保存到 \`artifacts/\`。`,
  unopenableLink: (name) => `🔗 ${plain(name)} · 无法从这里打开`,
  linkedCard: (name, card) => `🔗 ${plain(name)} — 见这个子区中的卡片：${plain(card)}`,
  answersBefore: "-# ↩️ 以下仍是对上一条消息的回答：",
  mayLackOutput: "-# ⚠️ 回答过程中连接中断过，服务不会重发中断期间的内容，这里可能缺少一部分。",
  wentOn: "-# 智能体在回答之后继续了工作",
  changedAbove: (links, more) => `-# ✏️ 上方有更新：${links.join("、")}${more > 0 ? `，另有 ${more} 项` : ""}`,
  fileRefused: (names, said) => `📎 ${plain(names)} — Discord 不接受这个文件（${said}）。它仍保存在任务中。`,
  postRefused: (said) => `⚠️ Discord 不接受应显示在这里的内容（${plain(said)}）。它仍保存在任务中。`,
  earlierSteps: (count) => `-# … 之前还有 ${count.toLocaleString("en")} 步`,
  moreLines: (count) => `*… 还有 ${count} 行*`,
  moreCharacters: (count) => `*… 还有 ${count.toLocaleString("en")} 个字符*`,
  moreFiles: (count) => `-# 📎 另有 ${count.toLocaleString("en")} 个文件：用 \`/artifacts list\` 查看全部。`,
  wholeAnswer: (files) => (files === 1 ? "-# 📄 完整回答（文件）" : `-# 📄 完整回答（共 ${files} 个文件）`),
  moreComesAsFile: "-# ✂️ 内容较多，不在这里逐条发布：本次回答完成后会以文件形式给出全文。",
  omittedRest: ({ characters, file, steps, stopped }) =>
    `-# ✂️ ${[
      ...(stopped ? ["已要求停止"] : []),
      ...(file ? [`其余内容在下面的文件中${characters > 0 ? `：${characters.toLocaleString("en")} 个字符` : ""}`] : []),
      ...(steps > 0 ? [`还有 ${steps.toLocaleString("en")} 步`] : [])
    ].join("；")}`,
  interruptedPrompt: (words) => `-# ↩️ 这是对这条消息的回答：“${plain(words)}”`,
  connectButton: "重新连接",
  sendAgain: "发送",
  sentAgain: { changed: "已经再次发送，照常扣除积分。", next: "回答会显示在下方。" },
  isNext: {
    happened: "这条消息之前没有发送。",
    changed: "现在轮到这条消息。智能体收到后，照常扣除积分。",
    next: "回答会显示在下方。"
  },
  arrivedTitle: "任务中已有这条消息",
  arrived: {
    happened: "任务中已有这条消息，因此没有再次发送。",
    changed: "智能体对它的处理照常扣除积分，只扣一次。",
    next: "无需再做什么。"
  },
  sentAgainBefore: "这条消息已经再次发送过。这次没有发送。",
  cannotSendAgain: "这条消息已不能从这里发送。这次没有发送。如果它确实缺失，请重新写一遍。",
  failed: "这次没有成功",
  done: "完成",
  stopped: {
    max_tokens: "已停止：回答达到长度上限",
    max_turn_requests: "已停止：本次回答的步骤太多",
    refusal: "智能体拒绝继续",
    cancelled: "已停止",
    unsent: "已停止 · 智能体没有收到这条消息，也没有扣除积分",
    stop_not_delivered: "服务没有及时接受停止请求：如果智能体已收到这条消息，可能会继续处理并照常计费",
    unconfirmed: "已要求智能体停止，但它还没有确认：它可能会继续处理并照常计费",
    interrupted: "未完成就已停止",
    ended_after_stop: "在请求停止之后结束：无法得知智能体是停止了还是已完成",
    paused: "已暂停：任务可能已完成，也可能在等待输入，服务没有说明"
  },
  ended: (code) => (code === "" ? "已结束" : `已结束：${code}`),
  tokens: (count) => `${count.toLocaleString("en")} tokens`,
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分`
}
