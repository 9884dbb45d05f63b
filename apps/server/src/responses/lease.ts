/** How long a running response counts as alive after its server last said so, milliseconds. */
export const LEASE_MS = 30_000
