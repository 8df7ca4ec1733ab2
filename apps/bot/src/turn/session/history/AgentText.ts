import { createHash } from "node:crypto"
import type * as SessionState from "@heddle/acp/SessionState"
import type { Baseline } from "../../../store/Turns.ts"

/** What the agent says in an entry; empty for all others. */
export const ofEntry = (entry: SessionState.Entry): string =>
  entry._tag === "Message" && entry.role === "agent" ? entry.text : ""

/** The texts of the agent's messages. */
export const ofEntries = (entries: ReadonlyArray<SessionState.Entry>): ReadonlyArray<string> =>
  entries.flatMap((entry) => (entry._tag === "Message" && entry.role === "agent" ? [entry.text] : []))

/** Whether the agent's text in a session begins with what it had said before a turn. */
export const beginsWith = (
  { entries }: SessionState.SessionState,
  { chars, hash }: NonNullable<Baseline["said"]>
): boolean => hashOf(ofEntries(entries).join("").slice(0, chars)) === hash

/** A short hash of a text. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)
