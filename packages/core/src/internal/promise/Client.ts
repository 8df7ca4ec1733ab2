import type { Variant } from "../../Assistant.ts"
import type * as Models from "./Models.ts"
import type * as Runner from "./Runner.ts"
import type { TokenSource } from "./Token.ts"

/** How one call is made. */
export interface CallOptions extends Runner.PerCall {}

/** How one write is made. */
export interface WriteOptions extends CallOptions {
  /**
   * Names this write, so that it can be repeated safely: with one, a lost answer is retried; without one it rejects as
   * `OutcomeUnknown`. Keep it to send the same write again after a restart.
   */
  readonly idempotencyKey?: string | undefined
}

/** Where the service is, who calls it, and how. */
export interface ClientOptions extends Runner.Defaults {
  readonly baseUrl: string
  readonly accessToken: TokenSource
  /** Allows `http` beyond this machine, which shows the token to everyone on the way. */
  readonly allowInsecure?: boolean | undefined
  /** Used instead of the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The name that requests carry; browsers send their own. */
  readonly userAgent?: string | undefined
  /** Whether the service takes permission answers: `A` does, `B` does not, `auto` finds out with the first one. */
  readonly assistantVariant?: Variant | undefined
}

/**
 * The Open API for one user. Each call takes its options last, and rejects with one of this module's errors,
 * with the reason of its `signal`, or with what the access token's source rejected with.
 */
export interface Client extends AsyncDisposable {
  readonly users: {
    /** Reads nickname and avatar; needs `user.profile.readable`. */
    readonly profile: (options?: CallOptions) => Promise<Models.Profile>
    /** Whether the number is the user's bound mobile number; needs `user.contact.readable`. */
    readonly verifyPhone: (number: string, options?: CallOptions) => Promise<boolean>
  }
  readonly credits: {
    /** Reads the quota of the current period; needs `user.credit.readable`. */
    readonly quota: (options?: CallOptions) => Promise<Models.CreditQuota>
  }
  readonly assistant: {
    /** Whether the user's PC-side assistant is connected; needs `user.localassistant.readable`. */
    readonly status: (options?: CallOptions) => Promise<{ readonly online: boolean }>
    /** Sends a message and gives its id; needs `user.localassistant.invokable`. */
    readonly sendText: (text: string, options?: WriteOptions) => Promise<string>
    /** Answers a questionnaire or tool approval, where the service allows it. */
    readonly answerPermission: (response: Models.PermissionResponse, options?: WriteOptions) => Promise<string>
    /** Reads one page in the service's order, usually newest first; `limit` 1–100 (20), `offset` from 0. */
    readonly history: (
      page?: { readonly limit?: number | undefined; readonly offset?: number | undefined },
      options?: CallOptions
    ) => Promise<ReadonlyArray<Models.AssistantMessage>>
    /** The whole conversation, page by page, each message once. */
    readonly all: (options?: CallOptions) => AsyncIterable<Models.AssistantMessage>
    /** Every message after this one, each once, oldest first, without end: asks after 0.5 s, growing to 5 s while none come. */
    readonly since: (
      messageId: string,
      options?: CallOptions & {
        readonly poll?: { readonly firstMs?: number | undefined; readonly slowestMs?: number | undefined } | undefined
      }
    ) => AsyncIterable<Models.AssistantMessage>
  }
  readonly tasks: {
    /** Creates a task; needs `user.task.invokable`. After `OutcomeUnknown`: send it again with the same key, or `reconcile`. */
    readonly create: (task: Models.NewTask, options?: WriteOptions) => Promise<Models.Task>
    /** Reads a task with a fresh link and token; needs `user.task.readable`. */
    readonly get: (taskId: string, options?: CallOptions) => Promise<Models.Task>
    /** Reads one page, newest first; `page` from 1, `size` 1–100. */
    readonly list: (
      page?: { readonly page?: number | undefined; readonly size?: number | undefined },
      options?: CallOptions
    ) => Promise<Models.TaskPage>
    /** All tasks, page by page, each once. */
    readonly all: (options?: CallOptions) => AsyncIterable<Models.TaskSummary>
    /** Waits at most 2 minutes until a task has link and token; rejects with `ChannelUnavailable` where it has ended. */
    readonly awaitChannel: (taskId: string, options?: CallOptions) => Promise<Models.Channel>
    /** Looks whether a `create` that ended as `OutcomeUnknown` created its task after all. */
    readonly reconcile: (lost: Models.LostTask, options?: CallOptions) => Promise<Models.Reconciliation>
  }
  readonly redemptions: {
    /** Redeems a code; needs `user.credit.exchange`. Retried under one key, its own or the one that is handed in. */
    readonly redeem: (code: string, options?: WriteOptions) => Promise<Models.Redemption>
    /** Redeems a voucher: card number `key` and card secret `code`. */
    readonly redeemVoucher: (
      voucher: { readonly key: string; readonly code: string },
      options?: WriteOptions
    ) => Promise<Models.Redemption>
  }
  /** Ends all calls that are under way, and refuses further ones with `ClientClosed`. */
  readonly close: () => Promise<void>
}
