/** Part of its life after which a JWT is renewed. */
const RENEW_SHARE = 0.75
/** Timers hold no more than 24 days. */
const LONGEST_MS = 7 * 86_400_000
const SHORTEST_MS = 250

/**
 * How long after it was made a JWT is renewed, milliseconds: three quarters of its life, a week at most. Only the length
 * of its life counts, so that clocks may differ.
 *
 * @returns undefined for one that does not end
 */
export function toRenewalMs(jwt: string): number | undefined {
  const { iat, exp } = readClaims(jwt)
  if (typeof exp !== 'number' || typeof iat !== 'number' || exp <= iat) return undefined
  // Both are whole seconds: the life may be one shorter.
  return Math.min(Math.max((exp - iat - 1) * 1000 * RENEW_SHARE, SHORTEST_MS), LONGEST_MS)
}

function readClaims(jwt: string): { readonly iat?: unknown; readonly exp?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? claims : {}
  } catch {
    return {}
  }
}
