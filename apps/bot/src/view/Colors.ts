/** The colours of embeds; text always carries their meaning, too. */
export const colors = {
  plan: 0x5865f2,
  tasks: 0x3498db,
  media: 0x1abc9c,
  overview: 0x9b59b6,
  waiting: 0xf1c40f,
  good: 0x2ecc71,
  bad: 0xe74c3c,
  past: 0x95a5a6
} as const
