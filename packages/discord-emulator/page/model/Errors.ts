/** Said when no answer came at all; it is out of date once there is a connection again. */
export const NO_ANSWER = "The server did not answer. Nothing you wrote is lost; try again once it is back."
