/** Maximum number of tokens that one request may send as numbers in all inputs; more than the context of any model. */
export const MAX_TOKENS_SENT = 262_144

/** Maximum number of texts of one request, and of all their choices together. */
export const MAX_CHOICES = 2048

/** More entries of metadata than any real request has. */
export const MAX_METADATA = 1024

/** More messages than any real conversation has; checking millions would block other requests. */
export const MAX_MESSAGES = 16_384
