import { SvcError } from '@svc/errors'
import type { RequestBody } from './ports.ts'

/** Makes the body of a request that the server itself makes: it has arrived, and holds no memory of clients. */
export function toInnerBody(bytes: Uint8Array): RequestBody {
  const held = { bytes, release: () => undefined }
  return {
    whole: () => held,
    read: async () => held,
    form: () =>
      Promise.reject(
        new SvcError('unsupported_media', 'the body of a request of the server itself is JSON', { code: 'no_form' }),
      ),
  }
}
