import { plain } from "../../text/Escape.ts"
import { statusTags } from "../StatusTags.ts"
import type { Messages } from "../Messages.ts"

/** Starting, listing and stopping tasks. */
export const tasks = {
  promptNeeded: "请说明任务内容：输入 `/task new`，再写明要做什么。没有启动任何任务。",
  promptNeededHere: "请在提到我的同一条消息里写明要做什么，我会据此新建任务。没有启动任何任务。",
  lookAtFiles: "请查看附件中的文件。",
  started: (threadId) => `你的任务正在 <#${threadId}> 中运行。`,
  statusTags: statusTags({
    working: "进行中",
    waiting: "等你回应",
    done: "已完成",
    failed: "失败"
  }),
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
  ownerNotConnected: (ownerId) =>
    `这个任务使用 <@${ownerId}> 的账号运行，该账号目前没有连接。没有任何改动。只有本人可以用 \`/connect\` 更改。`,
  startFailed: (reason) => `任务没有启动。${reason}`,
  openFailed: (reason) => `任务没有在这里打开。${reason}`,
  tooManyThreads: {
    happened: "这个服务器的活跃子区已达到 Discord 的上限（1,000 个）。",
    changed: "没有开启子区，也没有扣除积分。",
    next: "请归档不再需要的子区，每归档一个就能再开启一个。"
  },
  taskWithoutThread: ({ isHeld, name, taskId }) => ({
    happened: `你的任务 **${plain(name)}** 已存在（\`${taskId}\`），但没有子区。`,
    changed: isHeld
      ? "智能体没有收到你的消息，这条消息没有扣除积分。"
      : "智能体可能正在处理你的消息，或已处理完；这部分工作照常扣除积分。",
    next: isHeld
      ? "稍后可以在这里或在其他频道用 `/task open` 开启它的子区，再在子区里重新发送你的消息。"
      : "稍后可以在这里或在其他频道用 `/task open` 开启它的子区。"
  }),
  unknownStart: {
    text: "不确定你的任务是否已启动：服务的回复丢失了。没有重复发送任何内容。如果任务正在运行，会照常计费。请稍后再查一次，或再发送一次；如果第一次其实已送达，两个任务可能都会运行。",
    candidates: "下面的任务中可能有你的任务；选择它即可开启它的子区。",
    choose: "选择你的任务",
    look: "再查一次",
    send: "再发送一次",
    looking: "正在查找你的任务。没有发送任何内容。",
    sending: "正在再次发送你的任务。",
    opening: "正在开启这个任务的子区。没有发送任何内容。",
    decided: "这之前已经选择过了。没有任何改动。用 `/task list` 查看你的任务。",
    onlyAuthor: (userId) => `这个任务会使用 <@${userId}> 的账号运行，所以只有本人可以选择。没有任何改动。`
  },
  noTaskHere: "这个子区里没有任务。请在任务的子区里使用；`/task list` 可以查看你的任务。",
  stop: {
    Stopping: "已请求智能体停止。停止后，回答里会说明。",
    Starting: "任务还在启动。启动后会立即停止，回答里会说明。",
    Posting: "智能体已不再工作；如果剩余的回答较长，将以文件形式给出。",
    Late: "回答已经结束；已请求智能体停止后续的话。",
    Next: "没有正在运行的内容，因此下一条消息在交给智能体之前就被停止了。",
    Idle: "这里没有正在运行的内容。",
    TryAgain: "暂时无法连接到服务，所以没能通知智能体停止。请重试。",
    Over: "你写这条消息时正在运行的内容都已结束。"
  },
  openedBefore: (threadId) => `这个任务已有子区：<#${threadId}>。`,
  openedAlready: "正在为这个任务开启子区，马上就好。",
  noTaskGiven: "请在输入时出现的列表中选择你的一个任务。没有任何改动。",
  pager: {
    previous: "◀ 上一页",
    next: "下一页 ▶",
    footer: (page, pages, total) => `第 ${page} 页，共 ${pages} 页 · 总计 ${total} 条`
  },
  startedAt: (at) => `<t:${Math.floor(at / 1000)}:R>新建`,
  noTasks: "你还没有任务。用 `/task new` 新建一个。",
  tasksTitle: "你的任务"
} satisfies Partial<Messages>
