import { errorTexts } from "../ErrorTexts.ts"
import type { ErrorOverrides, ScopeTexts } from "../UserError.ts"

const quoted = (said: string | undefined): string => (said === undefined ? "" : `: ${said}`)

const checkTaskList = "Look at `/task list` before you try again."

/**
 * The texts for the service's errors: first what each says about changes and charges, then what happened and what to do
 * next.
 */
export const errors = errorTexts(
  {
    nothing: "Nothing was changed or charged.",
    unknown: "It is not known whether anything was changed or charged.",
    Conflict: "It was not done or charged a second time.",
    OutcomeUnknown: "It may have worked, and you may have been charged."
  },
  {
    NotAccepted: ({ said }) => ({
      happened: `The service did not accept this${quoted(said)}.`,
      next: "Change what you asked for and try again; `/help` tells what each command takes."
    }),
    NotConnected: () => ({
      happened: "The service no longer accepts the connection to this account.",
      next: "Use `/connect`, then try again."
    }),
    NotConnectedYet: ({ said }) => ({
      happened: `The account could not be connected${quoted(said)}.`,
      next: "Begin again with `/connect`."
    }),
    NotSetUp: ({ said }) => ({
      happened: `The bot's own access to the service is not set up correctly${quoted(said)}.`,
      next: "Please tell the person who runs this bot; until it is fixed, commands that need the service do not work."
    }),
    NotAllowed: ({ said }) => ({
      happened: `The service does not allow this${quoted(said)}.`,
      next: "`/profile` shows which account is connected. If it stays, tell the person who runs this bot."
    }),
    SignInRequired: ({ said }) => ({
      happened: `The service wants a sign-in first${quoted(said)}.`,
      next: "Sign in at the service's website, then use `/connect` and try again."
    }),
    PreconditionFailed: ({ said }) => ({
      happened: `The service wants this bot to be allowed first${quoted(said)}.`,
      next: "Use `/disconnect`, then `/connect`, and try again."
    }),
    AccessDenied: ({ said }) => ({
      happened: `The service does not allow this${quoted(said)}.`,
      next: "`/credit` shows whether credits are left."
    }),
    InsufficientScope: ({ missing }) => ({
      happened: `The connection does not include what this needs${missing.length === 0 ? "" : `: the bot may not ${missing.join(" and ")}`}.`,
      next: "Allow it with the button, or with `/connect`, then try again."
    }),
    NotFound: ({ said }) => ({
      happened: `The service does not know this (any more)${quoted(said)}.`,
      next: "`/task list` shows what there is."
    }),
    Conflict: ({ said }) => ({
      happened: `This was already done, or is not possible now${quoted(said)}.`,
      next: "`/task list` shows how things stand."
    }),
    RateLimited: ({ wait }) => ({
      happened: "The service is busy with too many requests.",
      next: `Try again in ${wait === undefined ? "a minute" : `${wait} seconds`}.`
    }),
    ServiceFailure: () => ({
      happened: "The service had a failure of its own.",
      next: "Please try again in a few minutes."
    }),
    EnvelopeError: ({ said }) => ({
      happened: `The service reported a failure of its own${quoted(said)}.`,
      next: checkTaskList
    }),
    ContractViolation: () => ({
      happened: "The service gave an answer that cannot be read.",
      next: checkTaskList
    }),
    Unreachable: () => ({
      happened: "The service could not be reached.",
      next: "Please try again in a few minutes."
    }),
    OutcomeUnknown: () => ({
      happened: "The connection to the service broke before it answered.",
      next: checkTaskList
    })
  }
)

/** Replacements for reads. */
export const reading = {
  changed: "",
  next: {
    InvalidRequest: "Change what you typed and try again.",
    AccessDenied: "If it stays, ask the service's support about your account.",
    NotFound: "It may belong to another account: `/profile` shows the connected one, and `/task list` its tasks.",
    Conflict: "Please try again.",
    EnvelopeError: "Please try again in a few minutes.",
    ContractViolation: "Please try again; if it stays, tell the person who runs this bot.",
    OutcomeUnknown: "Please try again."
  }
} satisfies ErrorOverrides

/** Replacements for a message that the agent did not get. */
export const unsent: ErrorOverrides = {
  changed: "The agent did not get your message, and nothing was charged for it.",
  next: { InsufficientScope: "Allow it with `/connect`, then send your message again." }
}

/** Replacements for a message that the agent may have: sent again, it may be charged twice. */
export const perhapsSent = {
  changed: "If your message reached the agent, its work may go on and is charged as usual.",
  next: {
    InvalidClient: "Please tell the person who runs this bot.",
    InvalidScope: "Please tell the person who runs this bot.",
    InsufficientScope: "Allow it with `/connect`. Then look at `/task list` before you send your message again."
  },
  otherwise: "Look at `/task list` before you send your message again."
} satisfies ErrorOverrides

/** The purpose of each scope. */
export const scopes = {
  "user.profile.readable": "see your profile",
  "user.contact.readable": "check whether a phone number is yours",
  "user.credit.readable": "see your credits",
  "user.credit.exchange": "redeem codes for you",
  "user.localassistant.readable": "read the messages of your local assistant",
  "user.localassistant.invokable": "write to your local assistant",
  "user.task.readable": "see your tasks",
  "user.task.invokable": "run tasks for you"
} satisfies ScopeTexts
