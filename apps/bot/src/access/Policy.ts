/** What a person wants to do. */
export type Action =
  | { readonly _tag: "StartTask"; readonly inGuild: boolean }
  /** Things that concern the person's own account only. */
  | { readonly _tag: "OwnAccount" }
  | { readonly _tag: "Reply"; readonly ownerId: string }
  | { readonly _tag: "Approve"; readonly ownerId: string }
  | { readonly _tag: "Stop"; readonly ownerId: string }
  | { readonly _tag: "Read"; readonly ownerId: string }

export type Decision = "allowed" | "notYours" | "onlyInServers"

/**
 * Who may do what; everything that is not allowed here is refused.
 * Anyone in a server may start tasks, which run on and are charged to their own connected account;
 * only the person who started a task may reply to it, answer for it, stop it or read its status by command.
 */
export const decide = (userId: string, action: Action): Decision => {
  switch (action._tag) {
    case "StartTask":
      return action.inGuild ? "allowed" : "onlyInServers"
    case "OwnAccount":
      return "allowed"
    case "Reply":
    case "Approve":
    case "Stop":
    case "Read":
      return action.ownerId === userId ? "allowed" : "notYours"
  }
}
