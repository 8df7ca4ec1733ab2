import type { Scope } from "@heddle/core/domain/Scope"
import type { Messages } from "../messages/Messages.ts"
import type { Button } from "../model/Post.ts"

/** A button that gives each person a link of their own, with optional additional scopes; see `Invitation`. */
export const connectButton = ({ connectFirst }: Messages, additionalScopes: ReadonlyArray<Scope> = []): Button => ({
  label: connectFirst.buttonLabel,
  style: "primary",
  customId: ["c1:connect", ...(additionalScopes.length === 0 ? [] : [additionalScopes.join(",")])]
    .join(":")
    .slice(0, 100)
})

/** A button by which a person grants missing scopes. */
export const allowButton = ({ connecting }: Messages, scopes: ReadonlyArray<Scope>): Button => ({
  label: connecting.allowButton,
  style: "primary",
  customId: `g1:${scopes.join(",")}`.slice(0, 100)
})
