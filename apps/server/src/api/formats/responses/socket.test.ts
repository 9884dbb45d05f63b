import { getEventListeners } from 'node:events'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openResponseSocket } from '../../../../test/support/response-socket.ts'
import { startTestApp } from '../../../../test/support/test-app.ts'
import { defineRoute } from '../../../http/route.ts'
import { upgradeRequired } from '../../../http/websocket.ts'
import type { RequestCore } from '../../../inference/core/pipeline.ts'
import type { CreateParts } from './create.ts'
import { serveResponses } from './socket.ts'

const HOUR_MS = 60 * 60_000
const none = { get: () => undefined, add() {}, remove() {}, track() {}, close: () => Promise.resolve() }

function world(serve: RequestCore['serve']) {
  const clock = createFakeClock()
  const parts = {
    core: { serve },
    deliverTo: () => expect.unreachable,
    clock,
    live: none,
    opaqueErrors: false,
  } as unknown as CreateParts
  const route = defineRoute({
    method: 'GET',
    path: '/v1/responses',
    access: 'any',
    family: 'responses',
    tag: 'test',
    summary: '',
    socket: { protocols: [] },
    handler: (call) => {
      throw upgradeRequired(call)
    },
    serveSocket: (socket) => serveResponses(socket, parts),
  })
  return { clock, route }
}

const refuse = (): Promise<never> => Promise.reject(new SvcError('invalid_request', 'refused here'))
const tooOld = { type: 'error', status: 400, error: { code: 'websocket_connection_limit_reached' } }

describe('a socket of responses', () => {
  it('that is an hour old is closed with a code after which clients open another one', async () => {
    const { clock, route } = world(refuse)
    await using app = await startTestApp([route])
    await using socket = await openResponseSocket(app.url)
    await clock.waitForSleepers(1)
    await clock.advance(HOUR_MS - 1)
    socket.ask()
    expect(await socket.refusal()).toMatchObject({ error: { message: 'refused here' } })
    await clock.advance(1)
    expect(await socket.refusal()).toMatchObject(tooOld)
    expect(await socket.closed).toBe(1001)
  })

  it('finishes its answer first and answers no more messages', async () => {
    let asked = 0
    let end = (): void => undefined
    const { clock, route } = world(async () => {
      asked += 1
      await new Promise<void>((resolve) => {
        end = resolve
      })
      return refuse()
    })
    await using app = await startTestApp([route])
    await using socket = await openResponseSocket(app.url)
    socket.ask()
    socket.ask()
    await expect.poll(() => asked).toBe(1)
    await clock.advance(HOUR_MS)
    end()
    expect(await socket.refusal()).toMatchObject({ error: { message: 'refused here' } })
    expect(await socket.refusal()).toMatchObject(tooOld)
    expect(await socket.closed).toBe(1001)
    expect(asked).toBe(1)
  })

  it('releases the bytes of answered messages', async () => {
    const { route } = world(refuse)
    const signals: AbortSignal[] = []
    const counting = defineRoute({
      ...route,
      serveSocket: (socket) => {
        signals.push(socket.call.signal)
        return route.serveSocket?.(socket) ?? Promise.reject(new Error('no socket'))
      },
    })
    await using app = await startTestApp([counting])
    await using socket = await openResponseSocket(app.url)
    const listeners = (): number => signals.flatMap((signal) => getEventListeners(signal, 'abort')).length
    const counts: number[] = []
    for (let count = 0; count < 5; count += 1) {
      socket.ask()
      await socket.refusal()
      counts.push(listeners())
    }
    expect(new Set(counts).size).toBe(1)
  })

  it('leaves no waiting work when its client has left', async () => {
    const { clock, route } = world(refuse)
    await using app = await startTestApp([route])
    {
      await using _socket = await openResponseSocket(app.url)
      await clock.waitForSleepers(1)
    }
    await expect.poll(() => clock.sleepers).toBe(0)
  })

  it('of a principal who has lost access tells so on the next message and closes', async () => {
    const { route } = world(refuse)
    await using app = await startTestApp([route], { keys: ['old'] })
    await using socket = await openResponseSocket(app.url, { headers: { authorization: 'Bearer old' } })
    app.sharedKeys.replace(['new'])
    socket.ask()
    expect(await socket.refusal()).toMatchObject({
      status: 401,
      error: { message: 'An authentication key is required' },
    })
    expect(await socket.closed).toBe(1008)
  })
})
