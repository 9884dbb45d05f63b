import type { Credential } from './credentials.ts'
import type { Principal } from './principal.ts'

/** A caller, and the credential that proved its identity. */
export interface Authentication {
  readonly principal: Principal
  /** Absent where no auth is configured. */
  readonly credential: Credential | undefined
  /** Whether the session of a cookie is due for a new value. */
  readonly isRotationDue: boolean
  /** Time at which the credential ends by itself, milliseconds since the epoch. */
  readonly expiresAt: number | undefined
}
