import type { UpstreamRequest } from '@svc/http-client'
import { redact } from '../quote.ts'
import type { ByteRewriter } from './byte-rewriter.ts'

/**
 * Redacts the key of a request in an error of its upstream, which may repeat it; all other bytes stay (threats CP-1).
 * Undefined for a request without a key.
 */
export function createKeyRedactor({ headers }: Pick<UpstreamRequest, 'headers'>): ByteRewriter | undefined {
  const keys = headers.flatMap(([name, value]) => {
    if (name === 'x-api-key') return [value]
    return name === 'authorization' ? [value.replace(/^Bearer /, '')] : []
  })
  const longest = Math.max(0, ...keys.map(({ length }) => length))
  if (longest === 0) return undefined
  let held = ''
  return {
    push(bytes) {
      const text = redact(held + Buffer.from(bytes).toString('latin1'), keys)
      // The text may end with the start of a key.
      const passing = Math.max(0, text.length - longest + 1)
      held = text.slice(passing)
      return Buffer.from(text.slice(0, passing), 'latin1')
    },
    end: () => Buffer.from(held, 'latin1'),
  }
}
