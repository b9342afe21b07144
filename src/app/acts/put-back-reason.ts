/** `session.moved` of a session whose own tree is no more, put into another one here: it did not come from another machine. */
export const PUT_BACK = "its work was put back here";
