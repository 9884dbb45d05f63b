import { expect, it } from 'vitest'
import type { ClientRequest } from '../client/request.ts'
import { checkHead } from './request-head.ts'

const expected = { target: { host: 'a.example', port: 443 }, authority: 'a.example', isMisdirected: false }

/** Gives the kind of the refusal. */
function check(protocol: ClientRequest['protocol'], count: number, name = 'a.example'): string {
  const authorities = Array.from({ length: count }, () => name)
  const request = { protocol, method: 'GET', target: '/', authorities, headers: [], upgrade: undefined }
  try {
    checkHead(request as unknown as ClientRequest, expected)
    return 'passes'
  } catch (error) {
    return (error as { readonly kind: string }).kind
  }
}

it.each([
  ['http/1.1', ['passes', 'passes', 'invalid_request', 'invalid_request']],
  ['h2', ['passes', 'passes', 'passes', 'invalid_request']],
] as const)('a request of %s names its host 0, 1, 2 and 3 times', (protocol, kinds) => {
  expect([0, 1, 2, 3].map((count) => check(protocol, count))).toEqual(kinds)
  expect(check(protocol, 1, 'b.example')).toBe('misdirected')
})
