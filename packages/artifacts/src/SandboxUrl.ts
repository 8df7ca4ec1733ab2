import * as Either from "effect/Either"
import { BadLink } from "./ArtifactsError.ts"

/**
 * Derives {sandbox_url} from a task's link (contract 4.14): query and one trailing slash dropped, then `/acp` removed.
 *
 * A link of another form has no sandbox address.
 */
export const fromLink = (link: string): Either.Either<string, BadLink> => {
  if (!URL.canParse(link)) return Either.left(new BadLink({ description: "The task's link is not a URL" }))
  const { protocol, origin, pathname, username, password } = new URL(link)
  if ((protocol !== "https:" && protocol !== "http:") || username !== "" || password !== "") {
    return Either.left(new BadLink({ description: "The task's link is not a plain http or https address" }))
  }
  const path = pathname.replace(/\/$/, "")
  if (!path.endsWith("/acp")) {
    return Either.left(
      new BadLink({ description: "The task's link does not end in /acp, so its artifacts cannot be listed" })
    )
  }
  return Either.right(origin + path.slice(0, -"/acp".length))
}
