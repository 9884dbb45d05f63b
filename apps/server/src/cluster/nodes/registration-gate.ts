import { createHash, timingSafeEqual } from 'node:crypto'
import { SvcError } from '@svc/errors'

/** Checks the bearer of a worker against the registration token, in constant time. */
export function createRegistrationGate(token: string): (headers: { readonly authorization?: string | undefined }) => void {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const wanted = digest(token)
  return ({ authorization = '' }) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? []
    if (given === undefined) throw refusal('missing or invalid Authorization header')
    if (token === '' || !timingSafeEqual(digest(given), wanted)) throw refusal('invalid registration token')
  }
}

function refusal(message: string): SvcError {
  return new SvcError('unauthenticated', message, { code: 'bad_registration_token', details: { type: 'node_error' } })
}
