import type { ErrorTexts, ErrorDetails, ErrorOverrides, ScopeTexts, UserError } from "../UserError.ts"

const after = (said: string | undefined): string => (said === undefined ? "" : `: ${said}`)

const nothing = "Nothing was changed or charged."

const perhaps = "Whether something was changed or charged is not known."

const look = "Look at `/task list` before you try again."

const notAccepted = ({ said }: ErrorDetails): UserError => ({
  happened: `The service did not accept this${after(said)}.`,
  changed: nothing,
  next: "Change what you asked for and try again; `/help` tells what each command takes."
})

const notConnected = (): UserError => ({
  happened: "The service no longer accepts the connection to this account.",
  changed: nothing,
  next: "Use `/connect`, then try again."
})

/** A step of connecting an account came too early, too late, or too often. */
const notConnectedYet = ({ said }: ErrorDetails): UserError => ({
  happened: `The account could not be connected${after(said)}.`,
  changed: nothing,
  next: "Begin again with `/connect`."
})

const notSetUp = ({ said }: ErrorDetails): UserError => ({
  happened: `The bot's own access to the service is not set up correctly${after(said)}.`,
  changed: nothing,
  next: "Please tell the person who runs this bot; until it is put right, no command works that needs the service."
})

const notAllowed = ({ said }: ErrorDetails): UserError => ({
  happened: `The service does not allow this${after(said)}.`,
  changed: nothing,
  next: "`/profile` shows which account is connected. If it stays, tell the person who runs this bot."
})

/** One text for each error of the service. */
export const errors = {
  InvalidRequest: notAccepted,
  Unsupported: notAccepted,
  UnexpectedStatus: notAccepted,
  AuthorizationPending: notConnectedYet,
  SlowDown: notConnectedYet,
  ExpiredToken: notConnectedYet,
  InvalidGrant: notConnected,
  Reauthorize: notConnected,
  InvalidToken: notConnected,
  InvalidClient: notSetUp,
  InvalidScope: notSetUp,
  SignInRequired: ({ said }) => ({
    happened: `The service wants a sign-in first${after(said)}.`,
    changed: nothing,
    next: "Sign in at the service's website, then use `/connect` and try again."
  }),
  Forbidden: notAllowed,
  PermissionDenied: notAllowed,
  PreconditionFailed: ({ said }) => ({
    happened: `The service wants this bot to be allowed first${after(said)}.`,
    changed: nothing,
    next: "Use `/disconnect`, then `/connect`, and try again."
  }),
  AccessDenied: ({ said }) => ({
    happened: `The service does not allow this${after(said)}.`,
    changed: nothing,
    next: "`/credit` shows whether credits are left."
  }),
  InsufficientScope: ({ missing }) => ({
    happened: `The connection does not include what this needs${missing.length === 0 ? "" : `: the bot may not ${missing.join(" and ")}`}.`,
    changed: nothing,
    next: "Allow it with the button, or with `/connect`, then try again."
  }),
  NotFound: ({ said }) => ({
    happened: `The service does not know this (any more)${after(said)}.`,
    changed: nothing,
    next: "`/task list` shows what there is."
  }),
  Conflict: ({ said }) => ({
    happened: `This was already done, or is not possible now${after(said)}.`,
    changed: "It was not done again, nor charged again.",
    next: "`/task list` shows how things stand."
  }),
  RateLimited: ({ wait }) => ({
    happened: "The service is busy with too many requests.",
    changed: nothing,
    next: `Try again in ${wait === undefined ? "a minute" : `${wait} seconds`}.`
  }),
  ServiceFailure: () => ({
    happened: "The service had a failure of its own.",
    changed: nothing,
    next: "Please try again in a few minutes."
  }),
  EnvelopeError: ({ said }) => ({
    happened: `The service reported a failure of its own${after(said)}.`,
    changed: perhaps,
    next: look
  }),
  ContractViolation: () => ({
    happened: "The service gave an answer that cannot be read.",
    changed: perhaps,
    next: look
  }),
  Unreachable: () => ({
    happened: "The service could not be reached.",
    changed: nothing,
    next: "Please try again in a few minutes."
  }),
  OutcomeUnknown: () => ({
    happened: "The connection to the service broke before it answered.",
    changed: "It may or may not have worked, and have been charged.",
    next: look
  })
} satisfies ErrorTexts

/** Replacements for reads. */
export const reading = {
  changed: "",
  next: {
    InvalidRequest: "Change what you typed and try again.",
    AccessDenied: "If it stays, ask the service's support about your account.",
    NotFound:
      "It may be of another account than the one that is connected now: `/profile` shows which that is, and `/task list` its tasks.",
    Conflict: "Please try again.",
    EnvelopeError: "Please try again in a few minutes.",
    ContractViolation: "Please try again; if it stays, tell the person who runs this bot.",
    OutcomeUnknown: "Please try again."
  }
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
