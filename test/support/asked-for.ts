/** In the words of what nobody is made to install: what is not shown for want of it is said, and fails no run. */
export const ASKED_FOR = "not freely licensed, so only where it is asked for";
