import { expect, it } from 'vitest'
import { createEventGuard } from './event-guard.ts'

const ALLOWED = [
  'data: 123456\n\ndata: 123456\n\n',
  'data: 123456\r\n\r\ndata: 123456\r\n\r\n',
  ': c\n\n: c\n\n: c\n\n: c\n\n: c\n\n',
]

it.each(ALLOWED)('lets events within the limit through, in any pieces: %j', (text) => {
  for (const size of [1, 2, 3, 100]) {
    const guard = createEventGuard(16)
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) expect(guard.admit(bytes.subarray(at, at + size))).toBe(true)
    expect(guard.hasIds).toBe(false)
  }
})

it.each(['data: 1234567890123', 'data: 1\ndata: 2\ndata: 3\n', 'a\n'.repeat(9)])('refuses a longer one: %j', (text) => {
  for (const size of [1, 3, 100]) {
    const guard = createEventGuard(16)
    const bytes = Buffer.from(text)
    const admitted: boolean[] = []
    for (let at = 0; at < bytes.length; at += size) admitted.push(guard.admit(bytes.subarray(at, at + size)))
    expect(admitted).toContain(false)
  }
})

it('notices ids', () => {
  for (const size of [1, 4, 100]) {
    const guard = createEventGuard(100)
    const bytes = Buffer.from('event: x\nid: 7\ndata: y\n\n')
    for (let at = 0; at < bytes.length; at += size) guard.admit(bytes.subarray(at, at + size))
    expect(guard.hasIds).toBe(true)
  }
})
