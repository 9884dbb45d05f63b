/** Time that a running response counts as alive after its server's last renewal, milliseconds. */
export const LEASE_MS = 30_000
