import { plain } from "../../text/Escape.ts"

/** The local assistant on a person's own computer. */
export const assistant = {
  name: "Assistant",
  you: "You",
  online: "🟢 Your local assistant is **online**. `/assistant chat` opens a private thread with it.",
  offline:
    "⚪ Your local assistant is **offline**. Start it on your computer; what you send before that is not delivered.",
  sent: "Sent to your local assistant. `/assistant history` shows what it answers; `/assistant chat` opens a private thread with it.",
  ofAnotherAccount:
    "This question comes from the assistant of another account, not of the connected one. Nothing was sent.",
  chatOver: "This chat has ended. Nothing was sent. `/assistant chat` opens a new one.",
  notDelivered:
    "Your local assistant is offline. Your message was not delivered. Start the assistant on your computer, then send it again.",
  perhapsDelivered:
    "Your local assistant is offline. Your message may not have been delivered: `/assistant history` shows whether it was, before you send it again.",
  deliveryUnknown:
    "It is not known whether your message reached the service: the answer was lost. It was not sent a second time. `/assistant history` shows whether it is there; if it is missing, send it again.",
  nothingToSend: "There is nothing to send: write some words. Files cannot be sent to the local assistant.",
  textOnly: "-# Files cannot be sent to the local assistant; only your words were sent.",
  /** The title of the thread. */
  threadName: "Local assistant",
  welcome: (ownerId: string) =>
    `<@${ownerId}>, what you write in this private thread goes to the assistant on your own computer, and its replies come here. Only you can write to it.`,
  opened: (threadId: string) => `Your private thread with the local assistant: <#${threadId}>.`,
  cannotOpen:
    "I may not open a private thread in this channel. Nothing was sent. Ask an admin to give me: Create Private Threads, Send Messages in Threads, View Channel.",
  inServersOnly: "A chat needs a channel of a server for its thread. Nothing was sent. `/assistant send` works here.",
  otherAccount:
    "This thread belongs to the assistant of another account, not of the connected one, so it has ended. Unsent messages are dropped. `/assistant chat` opens a thread with the assistant of the account that is connected now.",
  onlyOwner: (ownerId: string) =>
    `This thread talks to the computer of <@${ownerId}>, so only they can write to it. Nothing was sent.`,
  attachments: (count: number) =>
    count === 1 ? "one file, which stays on the computer" : `${count} files, which stay on the computer`,
  empty: "(no words)",
  asks: "The assistant asks",
  choose: "Choose",
  chooseBelow: "Choose below; the assistant waits for it.",
  answerUnconfirmed:
    "It is not known whether your answer arrived: the service did not confirm it. Nothing is charged for it. Look at your computer, or answer again.",
  openUntil: (at: number) => `⏳ Open until <t:${Math.floor(at / 1000)}:T> (<t:${Math.floor(at / 1000)}:R>).`,
  expired: "The time that the assistant gave for this answer is over. No answer was sent. Write here to go on.",
  expiredPerhapsAnswered:
    "The time that the assistant gave for this answer is over. It is not known whether your answer arrived: `/assistant history` shows it. Write here to go on.",
  chosen: (what: string) => `➤ ${plain(what)}`,
  answered: "Answered. The assistant goes on.",
  closed: "This is no longer open: it was answered, or the assistant no longer waits.",
  onlyThere: "This can only be answered on your computer itself: the assistant waits there.",
  serviceRefuses:
    "This service lets only the person at the computer answer. Your choice was not sent and nothing was changed. Answer on your computer itself: the assistant waits there.",
  anAnswer: "(an answer to a question)",
  historyTitle: "Messages with your local assistant",
  noHistory: "There are no messages here. `/assistant send` sends one.",
  page: (page: number) => `page ${page}`,
  newer: "◀ Newer",
  older: "Older ▶"
}
