/** Tokens that one request may send as numbers, all inputs together; more than any context of a model holds. */
export const MAX_TOKENS_SENT = 262_144

/** More messages than any conversation has; checking each of millions would hold up everybody else. */
export const MAX_MESSAGES = 16_384
