import type { Check } from "./Check.ts"
import * as Agents from "./checks/Agents.ts"
import * as Artifacts from "./checks/Artifacts.ts"
import * as Assistant from "./checks/Assistant.ts"
import * as Authorize from "./checks/Authorize.ts"
import * as Bearer from "./checks/Bearer.ts"
import * as Bodies from "./checks/Bodies.ts"
import * as Channel from "./checks/Channel.ts"
import * as Credit from "./checks/Credit.ts"
import * as Refresh from "./checks/Refresh.ts"
import * as Exchange from "./checks/Exchange.ts"
import * as Turn from "./checks/Turn.ts"
import * as ArtifactContent from "./checks/ArtifactContent.ts"
import * as AssistantOnline from "./checks/AssistantOnline.ts"
import * as Headers from "./checks/Headers.ts"
import * as Limits from "./checks/Limits.ts"
import * as Phone from "./checks/Phone.ts"
import * as Profile from "./checks/Profile.ts"
import * as Redemptions from "./checks/Redemptions.ts"
import * as TaskList from "./checks/TaskList.ts"
import * as Tasks from "./checks/Tasks.ts"
import * as Token from "./checks/Token.ts"

/** Checks that run in order. Groups run concurrently, except those with `runsLast`, which run alone at the end. */
export interface CheckGroup {
  readonly title: string
  readonly checks: ReadonlyArray<Check>
  readonly runsLast?: boolean
}

/** Every check, by subject. */
export const groups: ReadonlyArray<CheckGroup> = [
  { title: "Authorize page", checks: Authorize.checks },
  { title: "Token endpoint", checks: Token.checks },
  { title: "Bearer tokens and scopes", checks: Bearer.checks },
  { title: "Bodies", checks: Bodies.checks },
  { title: "Answers in general", checks: Headers.checks },
  { title: "Profile", checks: Profile.checks },
  { title: "Phone verification", checks: Phone.checks },
  { title: "Credit", checks: Credit.checks },
  { title: "Local assistant", checks: [...Assistant.checks, ...AssistantOnline.checks] },
  { title: "Tasks", checks: [...Tasks.checks, ...Agents.checks] },
  { title: "Task list", checks: TaskList.checks },
  // Together, because they have a task of their own: prompts must not overlap or change a list that is being read.
  {
    title: "ACP channel and artifacts",
    checks: [...Channel.checks, ...Turn.checks, ...Artifacts.checks, ...ArtifactContent.checks]
  },
  // These run one after the other. A refresh may end the access token of the other groups, and the reuse of an old
  // refresh token may end the grant.
  { title: "Redemption", checks: Redemptions.checks, runsLast: true },
  { title: "Guess limits", checks: Limits.checks, runsLast: true },
  { title: "Grants", checks: [...Refresh.checks, ...Exchange.checks], runsLast: true }
]
