/** The error for a missing response; a reconnect removes it. */
export const NO_RESPONSE = "The server did not answer. Nothing you wrote is lost; try again once it is back."
