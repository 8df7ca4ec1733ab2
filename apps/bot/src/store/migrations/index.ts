import { create as first } from "./0001_threads.ts"
import { drop as second } from "./0002_links.ts"
import { extend as third } from "./0003_cards.ts"
import { queue as fourth } from "./0004_queue.ts"
import { words as fifth } from "./0005_words.ts"
import { access as sixth } from "./0006_access.ts"
import { check as seventh } from "./0007_check.ts"
import { artifacts as eighth } from "./0008_artifacts.ts"
import { account as ninth } from "./0009_account.ts"
import { ends as tenth } from "./0010_ends.ts"
import { drafts as eleventh } from "./0011_drafts.ts"
import { bound as twelfth } from "./0012_bound.ts"
import { shown as thirteenth } from "./0013_shown.ts"
import { offers as fourteenth } from "./0014_offers.ts"
import { closed as fifteenth } from "./0015_closed.ts"
import { retries as sixteenth } from "./0016_retries.ts"
import { locales as seventeenth } from "./0017_locales.ts"

/** Every migration in order; one that was released is never changed. */
export const migrations = {
  "0001_threads": first,
  "0002_links": second,
  "0003_cards": third,
  "0004_queue": fourth,
  "0005_words": fifth,
  "0006_access": sixth,
  "0007_check": seventh,
  "0008_artifacts": eighth,
  "0009_account": ninth,
  "0010_ends": tenth,
  "0011_drafts": eleventh,
  "0012_bound": twelfth,
  "0013_shown": thirteenth,
  "0014_offers": fourteenth,
  "0015_closed": fifteenth,
  "0016_retries": sixteenth,
  "0017_locales": seventeenth
}
