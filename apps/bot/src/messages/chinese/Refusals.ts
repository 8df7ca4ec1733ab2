import type { Messages } from "../Messages.ts"

/** The reasons of refusals. */
export const refusals = {
  onlyInServers: "任务需要在频道中开启子区，所以只能在服务器里新建。这里没有新建任何任务。",
  onlyInPublic:
    "不能在私密或已归档的子区里新建任务，因为任务会开启一个频道里所有人都能看到的子区。没有新建任务，这里的内容也没有展示给任何人。请直接在频道里新建任务，并且只写频道里所有人都可以看到的内容。",
  notYours: (ownerId) =>
    `这个任务属于 <@${ownerId}>，在其账号上运行。对方可以用 \`/task share\` 让你使用它；你也可以用 \`/task new\` 新建自己的任务。`,
  ownerNotMember: (ownerId) =>
    `这个任务在 <@${ownerId}> 的账号上运行，而对方已经不在这个服务器里，所以其他人不能再使用它。没有任何改动，也没有扣除积分。用 \`/task new\` 可以新建你自己的任务。`,
  notMember: "已经不在这个服务器里的人不能在这里做任何事。没有任何改动，也没有扣除积分。",
  deniedByRule: "这个服务器的设置不允许你在这里这样做。没有任何改动，也没有扣除积分。",
  indeterminate:
    "Discord 目前没有告知这个服务器里成员的身份，因此无法确定你能否这样做。没有任何改动，也没有扣除积分。请一分钟后再试。",
  notSent: (authorId) => `<@${authorId}>，轮到这条消息时，它没有交给智能体。`,
  adminsOnly: "只有能管理这个服务器的成员才能查看和修改它的设置。",
  notAllowedToAnswer: (ownerId) => `任务在 <@${ownerId}> 的账号上运行，所以只有本人可以回答。`
} satisfies Partial<Messages>
