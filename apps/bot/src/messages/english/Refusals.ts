/** The reasons of refusals. */
export const refusals = {
  onlyInServers:
    "Tasks are started in a server, because they need a channel for their thread. Nothing was started here.",
  onlyInPublic:
    "You cannot start a task in a private or archived thread, because everyone in the channel can read the thread of a task. Nothing was started, and no text from here was shown elsewhere. Start the task in the channel itself, in words that everyone there may read.",
  notYours: (ownerId: string) =>
    `This task belongs to <@${ownerId}> and runs on their account. They can let you use it with \`/task share\`; \`/task new\` starts one of your own.`,
  ownerNotMember: (ownerId: string) =>
    `This task runs on the account of <@${ownerId}>, who is not in this server any more, so no one else can use it. Nothing was changed or charged. \`/task new\` starts one of your own.`,
  notMember: "You are no longer in this server, so you cannot do this here. Nothing was changed or charged.",
  deniedByRule: "The settings of this server do not let you do this here. Nothing was changed or charged.",
  indeterminate:
    "I could not check with Discord whether you may do this. Nothing was changed or charged. Please try again in a minute.",
  /** Precedes the reason, below a message that waited. */
  notSent: (authorId: string) => `<@${authorId}>, this message was not given to the agent when its turn came.`,
  adminsOnly: "Only members who may manage this server can see and change its settings.",
  notAllowedToAnswer: (ownerId: string) => `Only <@${ownerId}> can answer this, because it runs on their account.`
}
