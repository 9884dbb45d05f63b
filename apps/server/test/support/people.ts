import { setImmediate } from 'node:timers/promises'
import { type Authentication, extractCredentials, type Principal } from '@svc/auth'
import type { Authenticator } from '../../src/http/middleware/authenticate.ts'

/** A caller of a name, by a key. */
export function toPerson(name: string, rights: Partial<Principal> = {}): Authentication {
  const principal: Principal = {
    kind: 'user',
    id: name,
    name,
    role: name === 'root' ? 'admin' : 'user',
    via: 'api-key',
    features: undefined,
    models: undefined,
    scopes: undefined,
    quotas: [],
    apiKey: undefined,
    account: undefined,
    sessionId: undefined,
    ...rights,
  }
  return { principal, credential: { carrier: 'bearer', value: name }, isRotationDue: false, expiresAt: undefined }
}

/**
 * Each key is a caller of its name; `root` is an admin. Every request waits for a look-up, as one with a key of an account
 * that nobody has used lately.
 */
export function createPeople(rightsOf: (name: string) => Partial<Principal> = () => ({})): Authenticator {
  return {
    isConfigured: true,
    async authenticate(headers) {
      await setImmediate()
      const name = extractCredentials(headers)[0]?.value
      return name === undefined ? undefined : toPerson(name, rightsOf(name))
    },
    async recheck(authentication) {
      await setImmediate()
      return authentication
    },
  }
}
