/** Paths that are answered however many connections there are. */
export const HEALTH_CHECKS: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])
