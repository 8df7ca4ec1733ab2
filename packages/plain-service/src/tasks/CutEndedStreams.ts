import type { Readings } from "../Readings.ts"
import type { Task } from "./Task.ts"

/** Cuts the streams of a task whose tokens ended, if the readings say so (5). */
export const cutEndedStreams = ({ session, tickets }: Task, { endedTickets }: Readings): void => {
  if (endedTickets === "cutStreams") session.close("end", ({ ticket }) => tickets.left(tickets.place, ticket) === 0)
}
