import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** The timings and limits of the channels to local assistants. */
export interface Options {
  /** A comment is sent to every open stream this often. */
  readonly heartbeat: Duration.Duration
  /** A program without a report for this long counts as gone; it reports three times as often. */
  readonly silence: Duration.Duration
  /** How often revoked credentials and silent programs are checked. */
  readonly sweep: Duration.Duration
  /** How long a message waits for the computer that began to answer it, before another one gets it. */
  readonly handOver: Duration.Duration
  /** How many messages of one conversation may wait. */
  readonly backlog: number
}

const defaults: Options = {
  heartbeat: Duration.seconds(15),
  silence: Duration.seconds(40),
  sweep: Duration.seconds(1),
  handOver: Duration.seconds(60),
  backlog: 1000
}

/** The options of this service's channels; the defaults unless others are provided. */
export class AssistantOptions extends Context.Reference<AssistantOptions>()(
  "@heddle/server/assistant/AssistantOptions",
  {
    defaultValue: () => defaults
  }
) {}
