import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { readPieces } from './body-pieces.ts'

function createBody() {
  const body = Object.assign(new PassThrough(), { complete: true })
  const incoming = Object.assign(body, { socket: { destroy: () => body.destroy(new Error('cut')) } })
  return { body, incoming: incoming as unknown as IncomingMessage }
}

it('goes on with a slow body, and cuts off one that stops', async () => {
  const clock = createFakeClock()
  const { body, incoming } = createBody()
  const pieces = readPieces(incoming, clock)
  for (let minute = 0; minute < 5; minute += 1) {
    body.write(Buffer.alloc(2048))
    expect((await pieces.next()).value).toHaveLength(2048)
    await clock.waitForSleepers(1)
    await clock.advance(60_000)
  }
  body.write('x')
  expect((await pieces.next()).value).toHaveLength(1)
  const next = expect(pieces.next()).rejects.toMatchObject({ code: 'body_cut' })
  await clock.advance(60_000)
  await next
})

it('tells a body that ended early, and leaves its connection to the refusal of the rest', async () => {
  const { body, incoming } = createBody()
  Object.assign(body, { complete: false })
  body.end('x')
  const read = async () => {
    for await (const piece of readPieces(incoming, createFakeClock())) expect(piece).toHaveLength(1)
  }
  await expect(read()).rejects.toMatchObject({ code: 'body_cut' })
  const other = createBody()
  other.body.write('x')
  for await (const _ of readPieces(other.incoming, createFakeClock())) break
  expect(other.body.destroyed).toBe(false)
})
