import type { AnswerProblem } from "@heddle/acp/Question"
import { plain } from "../../text/Escape.ts"
import type { FieldHint } from "../UserError.ts"

/** Cards with the agent's requests. */
export const requestCards = {
  /** The title of a card: its kind and its subject. */
  titleWithKind: (what: string, title: string) => `${what}: ${title}`,
  permission: "Permission needed",
  /** For a request without a title. */
  untitledRequest: "Use a tool",
  question: "Question",
  questionOf: (step: number, count: number) => `Question ${step} of ${count}`,
  whoMayAnswer: "The person who started this task can answer, and so can anyone they or this server allow.",
  deadline: (at: number) =>
    `⏳ Open until <t:${Math.floor(at / 1000)}:t> (<t:${Math.floor(at / 1000)}:R>); without an answer it is refused.`,
  /** What a card shows only in part is a file of its message. */
  wholeInFile: (name: string) => `📎 All of it is in the file \`${name}\` of this message.`,
  wholeTooLarge: (size: string, limit: string) =>
    `⚠️ All of it is ${size}. That is too large to attach here: the limit is ${limit}. To read all of it, ask the agent to work in smaller steps.`,
  /** Why an answered request is open again: the answers of these people were removed, or their rights are unknown. */
  openAgain: (userIds: ReadonlyArray<string>) =>
    userIds.length === 0
      ? "⚠️ Discord did not tell whether everybody who answered may still answer, so nothing was sent. Please send the answers again."
      : `⚠️ The answer of ${userIds.map((id) => `<@${id}>`).join(", ")} was not sent, because they may no longer answer here. Please answer again.`,
  /** Why it is open again: an answer went out, and the agent asks the same on a new connection. */
  askedAgain:
    "⚠️ The agent asks this again. The earlier answer may have arrived, so it is not used for this request. Please answer again.",
  /** `allowed`: undefined where the agent did not tell what the chosen option means. */
  answered: (allowed: boolean | undefined, question: boolean): string => {
    if (allowed === undefined) return "Answered"
    return question ? (allowed ? "Answered" : "Declined") : allowed ? "Allowed" : "Not allowed"
  },
  answeredBy: (userId: string, at: number) => `by <@${userId}>, <t:${Math.floor(at / 1000)}:f>`,
  expired: "Not answered in time",
  expiredText: (isRefused: boolean): string =>
    isRefused ? "This was not answered in time, so it was refused." : "This was not answered in time.",
  /** An answer that the service has not taken yet. */
  sending: "Sending the answer",
  sendingText: "The service has not confirmed this answer yet.",
  /** An answer that the service has taken and the agent has not gone on with. */
  sent: "Answer sent",
  sentText: "The service has this answer. The agent has not shown yet that it went on with it.",
  /** The same after the end of the turn. The service may have given up the request before, so nothing says "allowed". */
  taken: "Answer taken",
  takenText: "The service took this answer, and the turn is over. The agent did not show what it did with the answer.",
  notConfirmed: "Answer not confirmed",
  notConfirmedText:
    "The service did not confirm this answer, so the agent may not have it. If the agent asks again, this card opens again. If it waits, `stop` ends the turn.",
  /** A request without an answer, whose connection is gone. */
  connectionLost: "Can no longer be answered",
  connectionLostText:
    "The connection on which the agent asked this is gone, and nothing was answered. If the agent asks again, this card opens again; otherwise `stop` ends the turn.",
  notShown: "Could not be shown",
  notShownText: "Discord did not take the card of this request, so it could not be answered and was refused.",
  withdrawn: "No longer open",
  withdrawnText: {
    stopped: "A stop was requested before this was answered, so it can no longer be answered.",
    disconnected:
      "The owner of this task has disconnected their account before this was answered, so it cannot be answered now.",
    interrupted: "The agent was interrupted before this was answered, so it can no longer be answered.",
    other: "The agent no longer waits for an answer to this, and it was not answered here."
  },
  option: (number: number) => `Option ${number}`,
  /** An option's name by the agent; each language translates the most common ones. */
  optionName: (name: string): string => name,
  /** What options of these kinds do, whatever the agent names them. */
  optionKinds: {
    allow_once: "Allow once",
    allow_always: "Always allow",
    reject_once: "Reject",
    reject_always: "Always reject"
  },
  choose: "Choose one",
  chooseSome: "Choose one or more",
  pageOf: (page: number, count: number) => `page ${page} of ${count}`,
  previousOptions: "◀ Options",
  moreOptions: "More options ▶",
  optional: "(optional)",
  /** Requests that wait to be shown. */
  requestsWaiting: (count: number) =>
    `-# ✋ ${count.toLocaleString("en")} more ${count === 1 ? "request waits" : "requests wait"} until these are answered.`,
  requestsRefused: (count: number) =>
    `-# ✋ The agent asked for too much at once: ${count.toLocaleString("en")} of its requests were refused without asking you.`,
  yourAnswer: "Your answer:",
  writeAnswer: "Write an answer",
  otherAnswer: "Something else",
  writeTitle: "Your answer",
  back: "◀ Back",
  next: "Next ▶",
  skip: "Skip ▶",
  send: "Send",
  accept: "Accept",
  decline: "Decline",
  yes: "Yes",
  no: "No",
  answerHint: ({ atLeast, atMost, kind }: FieldHint) => {
    const what = kind === "integer" ? "a whole number" : kind === "number" ? "a number" : "text"
    const unit = what === "text" ? " characters" : ""
    const bounds = [
      ...(atLeast === undefined ? [] : [`at least ${atLeast}${unit}`]),
      ...(atMost === undefined ? [] : [`at most ${atMost}${unit}`])
    ]
    return [what, ...bounds].join(", ")
  },
  /** The problem with an answer, without the full stop. */
  answerProblem: (problem: AnswerProblem): string => {
    switch (problem._tag) {
      case "Missing":
        return "An answer is required"
      case "WrongKind":
        return `The answer must be ${kinds[problem.kind]}`
      case "NotOffered":
        return `“${plain(problem.value.slice(0, 100))}” is not offered`
      case "TooLittle":
        return `The minimum is ${problem.atLeast}`
      case "TooMuch":
        return `The maximum is ${problem.atMost}`
    }
  },
  nothingAnswered: "Nothing is answered yet"
}

const kinds = {
  choice: "one of the options",
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no"
} satisfies Record<Extract<AnswerProblem, { readonly _tag: "WrongKind" }>["kind"], string>
