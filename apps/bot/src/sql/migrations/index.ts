import { create as first } from "./0001_threads.ts"

/** Every migration in order; one that was released is never changed. */
export const migrations = { "0001_threads": first }
