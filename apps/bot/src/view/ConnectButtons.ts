import type { Scope } from "@heddle/core/domain/Scope"
import type { Messages } from "../messages/Messages.ts"
import type { Button } from "../model/Post.ts"

/** A button by which anybody gets a link of their own, that asks for more where that is named; see `Invitation`. */
export const connectButton = ({ connectFirst }: Messages, more: ReadonlyArray<Scope> = []): Button => ({
  label: connectFirst.button,
  style: "primary",
  customId: ["c1:connect", ...(more.length === 0 ? [] : [more.join(",")])].join(":").slice(0, 100)
})

/** A button by which a person lets the bot do what it may not yet do for them. */
export const allowButton = ({ connecting }: Messages, scopes: ReadonlyArray<Scope>): Button => ({
  label: connecting.allow,
  style: "primary",
  customId: `g1:${scopes.join(",")}`.slice(0, 100)
})
