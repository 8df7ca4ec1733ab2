import type { Check } from "./Check.ts"
import * as Bearer from "./checks/Bearer.ts"
import * as Bodies from "./checks/Bodies.ts"
import * as Credit from "./checks/Credit.ts"
import * as Phone from "./checks/Phone.ts"
import * as Profile from "./checks/Profile.ts"
import * as TaskList from "./checks/TaskList.ts"
import * as Tasks from "./checks/Tasks.ts"

/** Checks that run one after the other; lanes run beside each other unless one has to be alone. */
export interface Lane {
  readonly title: string
  readonly checks: ReadonlyArray<Check>
  readonly alone?: boolean
}

/** Every check, by what it is about. */
export const lanes: ReadonlyArray<Lane> = [
  { title: "Profile", checks: Profile.checks },
  { title: "Phone verification", checks: Phone.checks },
  { title: "Credit", checks: Credit.checks },
  { title: "Tasks", checks: Tasks.checks },
  { title: "Task list", checks: TaskList.checks },
  { title: "Bearer tokens and scopes", checks: Bearer.checks },
  { title: "Bodies", checks: Bodies.checks }
]
