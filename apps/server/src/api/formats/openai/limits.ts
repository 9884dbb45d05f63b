/** Tokens that one request may send as numbers, all inputs together; more than any context of a model holds. */
export const MAX_TOKENS_SENT = 262_144

/** Texts of one request, and choices of all of them together. */
export const MAX_CHOICES = 2048

/** More messages than any conversation has; checking each of millions would hold up everybody else. */
export const MAX_MESSAGES = 16_384
