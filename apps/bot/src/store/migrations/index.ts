import { create } from "./0001_initial.ts"

/** Every migration in order; a released one never changes. */
export const migrations = {
  "0001_initial": create
}
