/** Answering the agent's requests. */
export const requestAnswers = {
  answerSettled: "This was already answered, or can no longer be answered.",
  answeredBefore: (userId: string) => `This was already answered by <@${userId}>. Your click changed nothing.`,
  answersDropped: (userIds: ReadonlyArray<string>) =>
    `The answers of ${userIds.map((id) => `<@${id}>`).join(", ")} were removed, because they may no longer answer here. Nothing was sent yet: look at the questions, then send them.`,
  answersKept:
    "I could not check with Discord whether everyone who answered here may still answer. Nothing was sent, and all answers are kept. Please send them again in a minute.",
  answerUnconnected: (ownerId: string) =>
    `This runs on the account of <@${ownerId}>, which is not connected now, so nothing can be answered. Your click changed nothing. When its owner has connected it again with \`/connect\`, the agent can ask again.`,
  answerTooLate: "The time for this answer is over, so it was refused. Your click changed nothing.",
  answerNotWaited: "The agent no longer waits for this answer. Your click changed nothing.",
  answerConnectionLost:
    "The connection on which the agent asked this is gone, so it cannot be answered now. Your click changed nothing. If the agent asks again, the card opens again.",
  answerInvalid: (problem: string) => `${problem}. Your answers are kept, nothing was sent yet.`,
  answerSlow: "The bot is busy at the moment. Nothing was changed. Please press the button again.",
  buttonUnknown: "This button is from an older version of the bot. Nothing was changed. `/help` shows the commands.",
  commandUnknown: "This command is from an older version of the bot. Nothing was changed. `/help` shows the commands."
}
