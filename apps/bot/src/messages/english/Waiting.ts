/** Messages that wait for the agent. */
export const waiting = {
  /** The reason why the messages below wait. */
  queue: {
    account:
      "-# ⏳ Waiting until the account on which this runs is connected. Edit or delete your message to change the queue.",
    answer: "-# ⏳ Waiting for the current answer to end. Edit or delete your message to change the queue.",
    question:
      "-# ✋ The agent waits for an answer to its question in this thread, and these messages wait with it. Edit or delete your message to change the queue.",
    more: (more: number) => `-# … and ${more} more`
  },
  readLate: "-# ⏳ I was away. What you wrote meanwhile is read now, in its order.",
  stillWaiting: (waiting: number) =>
    waiting === 1
      ? "One more message waits and is next, as soon as the answer has ended; delete it if you no longer want it."
      : `${waiting} more messages wait and are next, one after the other, as soon as the answer has ended; delete those that you no longer want.`,
  neverAsked: (messages: number) =>
    messages === 1
      ? "-# This thread was closed while this message waited: the agent never got it. Send it again if you still want it."
      : `-# This thread was closed while this message and ${messages - 1} after it waited: the agent never got them. Send again what you still want.`,
  typedAsText: (commands: ReadonlyArray<string>) =>
    `This came as plain text, so nothing was done and the agent did not get it. Click the command here, or type \`/\` and choose it from the list: ${commands.map((path) => `\`/${path}\``).join(", ")}`,
  editedTooLate: "-# The agent already has this message as it was. Send what you want to change as a new message.",
  /** The channel works; what the agent waits for is not known. */
  agentSilent: (seconds: number): string =>
    `-# ⏳ The agent has said nothing for ${seconds === 1 ? "1 second" : `${seconds} seconds`}. Its model may be slow, or it is trying the model again. “stop” ends the turn.`,
  waitingForService: "-# ⏳ The service is not reachable right now. I keep trying; nothing is lost.",
  waitingForCreation: "-# ⏳ The service is still creating the task. I keep waiting; nothing is lost.",
  filesFollow:
    "-# 📎 This service began with your words alone. Your files go to the agent in a second prompt, which is charged like any other.",
  filesNotTaken: (names: string) =>
    `-# ⚠️ The agent of this task does not take files of this kind, so it only learns their names: ${names}`
}
