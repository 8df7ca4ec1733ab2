import { plain } from "../text/Fit.ts"
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

/** What everybody is asked for who connects. */
const usual = [
  scopes["user.profile.readable"],
  scopes["user.credit.readable"],
  scopes["user.task.readable"],
  scopes["user.task.invokable"]
]

/** The texts in Simplified Chinese. */
export const chinese: Messages = {
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
    button: "连接账号"
  },
  connectedStarting: "你的账号已连接。你之前的请求现在继续处理。",
  connected: "你的账号已连接。",
  goesOn: "你之前的请求现在继续处理，结果会显示在原来的消息里。",
  alreadyConnected:
    "你的账号已经连接；用 `/profile` 查看是哪个账号，用 `/task new` 新建任务。如需连接另一个账号，请先使用 `/disconnect`。",
  connectAgain: (userId) =>
    `<@${userId}>，你的账号需要重新连接：服务不再接受原来的连接。没有任何内容丢失，连接后会自动继续。`,
  connectAfterDisconnecting: (userId) =>
    `<@${userId}>，你断开了运行这个任务的账号，所以这里不再显示或发送它的任何内容。以上内容保留不变。重新连接同一个账号后，这个子区会自动继续。`,
  connectAgainPrivate: "你的账号需要重新连接，任务才能开始。任务已保留，连接后会自动开始。",
  connectAgainToStart: (userId) =>
    `<@${userId}>，你的账号需要重新连接，任务才能开始。任务已保留。请使用 \`/connect\`。`,
  notConnected: "你的账号还没有连接。请使用 `/connect`。",
  onlyInServers: "任务需要在频道中开启子区，所以只能在服务器里新建。这里没有新建任何任务。",
  onlyInPublic:
    "不能在私密或已归档的子区里新建任务，因为任务会开启一个频道里所有人都能看到的子区。没有新建任务，这里的内容也没有展示给任何人。请直接在频道里新建任务，并且只写频道里所有人都可以看到的内容。",
  notYours: (ownerId) =>
    `这个任务属于 <@${ownerId}>，在其账号上运行。对方可以用 \`/task share\` 让你使用它；你也可以用 \`/task new\` 新建自己的任务。`,
  ownerAway: (ownerId) =>
    `这个任务在 <@${ownerId}> 的账号上运行，而对方已经不在这个服务器里，所以其他人不能再使用它。没有任何改动，也没有扣除积分。用 \`/task new\` 可以新建你自己的任务。`,
  away: "已经不在这个服务器里的人不能在这里做任何事。没有任何改动，也没有扣除积分。",
  ruledOut: "这个服务器的设置不允许你在这里这样做。没有任何改动，也没有扣除积分。",
  notKnown:
    "Discord 目前没有告知这个服务器里成员的身份，因此无法确定你能否这样做。没有任何改动，也没有扣除积分。请一分钟后再试。",
  notSent: (authorId) => `<@${authorId}>，轮到这条消息时，它没有交给智能体。`,
  adminsOnly: "只有能管理这个服务器的成员才能查看和修改它的设置。",
  promptNeeded: "请说明任务内容：输入 `/task new`，再写明要做什么。没有启动任何任务。",
  promptNeededHere: "请在提到我的同一条消息里写明要做什么，我会据此新建任务。没有启动任何任务。",
  lookAtFiles: "请查看附件中的文件。",
  started: (threadId) => `你的任务正在 <#${threadId}> 中运行。`,
  statusTags: {
    working: { name: "进行中", emojiName: "⏳" },
    waiting: { name: "等你回应", emojiName: "✋" },
    done: { name: "已完成", emojiName: "✅" },
    failed: { name: "失败", emojiName: "❌" }
  },
  statusWords: {
    creating: "创建中",
    idle: "空闲",
    planning: "规划中",
    working: "进行中",
    pending: "等待中",
    completed: "已完成",
    failed: "失败",
    archived: "已归档",
    deleted: "已删除"
  },
  status: (name, status, waiting) =>
    `**${plain(name)}** 的状态：*${status}*。${waiting === 0 ? "没有等待处理的消息。" : `你有 ${waiting} 条消息正在处理或等待。`}`,
  waitsForAnswer: (ownerId, titles) =>
    `它在等 <@${ownerId}> 点击这个子区上方的按钮：${titles.map((title) => `**${plain(title)}**`).join("、")}。`,
  statusOfOther: (ownerId) =>
    `这个任务使用 <@${ownerId}> 的账号运行，该账号目前没有连接，或者没有允许我查看。只有本人可以用 \`/connect\` 更改。`,
  startFailed: (reason) => `任务没有启动。${reason}`,
  noTaskHere: "这个子区里没有任务。请在任务的子区里使用；`/task list` 可以查看你的任务。",
  stop: {
    Stopping: "已请求智能体停止。停止后，回答里会说明。",
    Posting: "智能体已不再工作；如果剩余的回答较长，将以文件形式给出。",
    Late: "回答已经结束；已请求智能体停止后续的话。",
    Next: "没有正在运行的内容，因此下一条消息在交给智能体之前就被停止了。",
    Idle: "这里没有正在运行的内容。",
    Untold: "暂时无法连接到服务，所以没能通知智能体停止。请重试。",
    Over: "你写这条消息时正在运行的内容都已结束。"
  },
  openedBefore: (threadId) => `这个任务已有子区：<#${threadId}>。`,
  openedAlready: "正在为这个任务开启子区，马上就好。",
  noTaskGiven: "请在输入时出现的列表中选择你的一个任务。没有任何改动。",
  pager: {
    back: "◀ 上一页",
    on: "下一页 ▶",
    footer: (page, pages, total) => `第 ${page} 页，共 ${pages} 页 · 总计 ${total} 条`
  },
  startedAt: (at) => `<t:${Math.floor(at / 1000)}:R>新建`,
  noTasks: "你还没有任务。用 `/task new` 新建一个。",
  tasksTitle: "你的任务",
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
  answerInvalid: (problem) => `${problem}。你的回答已保留，还没有提交。`,
  answerSlow: "机器人正忙，没有任何改动。请再点一次按钮。",
  buttonUnknown: "这个按钮来自旧版本的机器人。没有任何改动。用 `/help` 查看可用的命令。",
  commandUnknown: "这个命令来自旧版本的机器人。没有任何改动。用 `/help` 查看可用的命令。",
  notAllowedToAnswer: (ownerId) => `任务在 <@${ownerId}> 的账号上运行，所以只有本人可以回答。`,
  waitingForService: "-# ⏳ 暂时无法连接到服务。我会继续尝试，不会丢失任何内容。",
  filesNotTaken: (names) => `-# ⚠️ 这个任务的智能体不接受这类文件，因此只告诉它有这些文件：${names}`,
  credit: {
    title: "你的积分",
    text: (left, used, total) => `剩余 **${left}** · 已用 ${used}，共 ${total}`,
    share: (percent) => `已用 ${percent} %`,
    low: "⚠️ 剩余不超过五分之一。用 `/redeem code` 或 `/redeem voucher` 增加积分。",
    hint: (gone) =>
      `⚠️ 你的积分${gone ? "已用完" : "不多了：剩余不超过五分之一"}。用 \`/credit\` 查看，用 \`/redeem code\` 增加积分。`
  }
}
