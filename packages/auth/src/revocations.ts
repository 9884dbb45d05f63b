import type { Authentication } from './authentication.ts'

/** A revoked right, for caches and open connections. */
export type Revocation =
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'api-key'; readonly apiKeyId: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  /** Anything may have changed: shared keys, or another server has changed rights. */
  | { readonly kind: 'all' }

/** Whether the rights of a caller may have changed with a revocation. */
export function isConcerned({ principal }: Pick<Authentication, 'principal'>, revocation: Revocation): boolean {
  switch (revocation.kind) {
    case 'user':
      return principal.id === revocation.userId
    case 'api-key':
      // The session may have been made with the key.
      return principal.apiKey?.id === revocation.apiKeyId || principal.via === 'session'
    case 'session':
      return principal.sessionId === revocation.sessionId
    case 'all':
      return true
  }
}

/** Tells the holders of rights that some rights were taken away. */
export interface Revocations {
  publish(revocation: Revocation): void
  /** @returns ends the subscription */
  subscribe(listener: (revocation: Revocation) => void): () => void
}

/**
 * Revocations within one process. Listeners are called before `publish` returns, all of them, even if one throws: its
 * error comes out of `publish` then.
 */
export function createRevocations(): Revocations {
  const listeners = new Set<(revocation: Revocation) => void>()
  return {
    publish(revocation) {
      const errors: unknown[] = []
      for (const listener of [...listeners]) {
        try {
          listener(revocation)
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
