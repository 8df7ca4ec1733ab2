/** The states of a task (3). */
export type TaskStatus =
  | "CREATING"
  | "idle"
  | "planning"
  | "working"
  | "pending"
  | "completed"
  | "failed"
  | "archived"
  | "deleted"
