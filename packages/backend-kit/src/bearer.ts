import { hash, timingSafeEqual } from 'node:crypto'
import type { Metadata } from '@grpc/grpc-js'
import { SvcError } from '@svc/errors'

/** Checks the caller of a call; throws `unauthenticated`. */
export type BearerCheck = (metadata: Metadata) => void

/** Creates a check for one token, in constant time. Without a token every caller passes. */
export function createBearerCheck(token: string | undefined): BearerCheck {
  if (!token) return () => {}
  const expected = digest(`Bearer ${token}`)
  return (metadata) => {
    const [given] = metadata.get('authorization')
    if (given === undefined || !timingSafeEqual(digest(given.toString()), expected)) {
      throw new SvcError('unauthenticated', 'invalid or missing bearer token')
    }
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
