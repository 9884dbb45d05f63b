/**
 * Headers of every reply, errors included. The policy lets a page load and connect to its own server only.
 */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
      "media-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; frame-src 'self' blob:; " +
      "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
]

/** Keeps pages of other origins from embedding replies, which would show them sizes and whether something exists. */
export const OWN_PAGES_HEADER = ['Cross-Origin-Resource-Policy', 'same-origin'] as const
