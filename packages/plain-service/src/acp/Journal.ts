/** An update of a session in the public ACP schema. */
export interface SessionUpdate {
  readonly sessionUpdate: string
  readonly [field: string]: unknown
}

/** An element of a prompt in the public ACP schema. */
export interface ContentBlock {
  readonly type: string
  readonly [field: string]: unknown
}

/** What happened in a session, in its order. */
export type JournalEntry =
  | { readonly kind: "prompt"; readonly blocks: ReadonlyArray<ContentBlock> }
  | { readonly kind: "update"; readonly update: SessionUpdate }
