import { expect, it } from 'vitest'
import { clearCookie, setCookie } from './session-cookies.ts'

/** The attribute `Path` of the cookies that a server at an address sets and clears. */
function readPaths(baseUrl: string): readonly string[] {
  const lines: string[] = []
  const outgoing = { appendHeader: (_: string, value: string) => void lines.push(value) }
  const call = { baseUrl, outgoing } as unknown as Parameters<typeof setCookie>[0]
  setCookie(call, { name: 'session', value: 'v', maxAgeMs: 1000 })
  clearCookie(call, 'session')
  return lines.map((line) => /; Path=([^;]*); Max-Age=\d+; HttpOnly; SameSite=Lax/.exec(line)?.[1] ?? line)
}

it.each([
  ['http://models.example/', '/'],
  ['https://models.example:8443/', '/'],
  ['https://models.example/svc/', '/svc'],
  ['https://models.example/a/b.c/', '/a/b.c'],
  ['https://models.example/a%20b/', '/a%20b'],
  ['https://models.example/a;Domain=example/', '/a%3BDomain=example'],
])('cookies of %s have the path %s', (baseUrl, path) => {
  expect(readPaths(baseUrl)).toEqual([path, path])
})
