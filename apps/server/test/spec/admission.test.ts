import { request } from 'node:http'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

/** Ten requests in each round; `SVC_LONG=1` takes ten times as many rounds. */
const ABORT_ROUNDS = process.env.SVC_LONG === '1' ? 1_000 : 100

describe('admission', () => {
  // verifies errors:status:saturated, errors:status:saturated-retry-after, errors:status:saturated-type, chat:admission:per-model-cap
  it('REL-1: never lets more than max_concurrent into the backend; the rest get 429 with Retry-After', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'x', delayMs: 150 } }] }, { max_concurrent: 4 })
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => server.chat('m', { stream: index % 2 === 0 })),
    )
    const served = replies.filter((reply) => reply.status === 200)
    const refused = replies.filter((reply) => reply.status === 429)
    expect(served.length + refused.length).toBe(200)
    expect(served.length).toBeGreaterThanOrEqual(4)
    for (const reply of refused) {
      expect(reply.headers['retry-after']).toBe('1')
      expect(reply.json()).toEqual({
        error: {
          code: 'admission_rejected',
          message: 'model "m" is at capacity (max_concurrent=4); retry after 1s',
          type: 'rate_limit_error',
          param: null,
        },
      })
    }
    const concurrent = server
      .records('m')
      .filter((record) => record.rpc.startsWith('Predict') && record.event === 'start')
      .map((record) => record.concurrent)
    expect(Math.max(...concurrent)).toBeLessThanOrEqual(4)
    expect((await server.chat('m')).status).toBe(200)
  })

  it('reads the model limit of existing files under limits, with its own Retry-After', async () => {
    await using server = await startTestServer()
    await server.model(
      'm',
      { rules: [{ rpc: 'Predict*', do: { hang: true } }] },
      { limits: { max_concurrent: 1, retry_after_seconds: 7 } },
    )
    const held = holdChat(server.url, 'm')
    await eventually(() => expect(server.records('m').some((record) => record.rpc.startsWith('Predict'))).toBe(true))
    const reply = await server.chat('m')
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '7'])
    const listed = await server.call('/api/pii/events?kind=admission')
    expect(listed.json()).toMatchObject({
      events: [
        {
          kind: 'admission',
          correlation_id: reply.headers['x-correlation-id'],
          host: 'm',
          status_code: 429,
          duration_ms: 7000,
          user_id: expect.any(String),
        },
      ],
    })
    held.destroy()
  })

  // verifies limits:ceiling:excess, limits:ceiling:others-served
  it('holds the global limit for all models, and keeps the rest of the server open', async () => {
    await using server = await startTestServer({ flags: ['--max-concurrent-backend-requests=2'] })
    await server.model('a', { rules: [{ rpc: 'Predict*', do: { hang: true } }] })
    await server.model('b')
    const held = [holdChat(server.url, 'a'), holdChat(server.url, 'a')]
    await eventually(() =>
      expect(server.records('a').filter((record) => record.rpc.startsWith('Predict')).length).toBe(2),
    )
    const reply = await server.chat('b')
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '1'])
    expect(reply.json()).toMatchObject({ error: { code: 429, type: 'rate_limit_error' } })
    for (const path of ['/healthz', '/v1/models', '/system', '/metrics'])
      expect((await server.call(path)).status).toBe(200)
    for (const one of held) one.destroy()
    await eventually(async () => expect((await server.chat('b')).status).toBe(200))
  })

  it(`loses no slot over ${ABORT_ROUNDS * 10} requests that clients leave at any moment`, async () => {
    await using server = await startTestServer()
    await server.model(
      'm',
      {
        rules: [{ rpc: 'PredictStream', do: { pieces: ['a'], repeat: 1000, pieceDelayMs: 1 } }, { do: { text: 'x' } }],
      },
      { max_concurrent: 4 },
    )
    await server.chat('m')
    for (let round = 0; round < ABORT_ROUNDS; round += 1) {
      const open = Array.from({ length: 10 }, () => holdChat(server.url, 'm'))
      await Promise.all(open.map((outgoing, index) => leaveAfter(outgoing, (round * 10 + index) % 12)))
    }
    await eventually(async () => {
      const replies = await Promise.all(Array.from({ length: 4 }, () => server.chat('m')))
      expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200])
    })
  }, 600_000)
})

function holdChat(base: string, model: string) {
  const url = new URL(base)
  const outgoing = request({
    host: url.hostname,
    port: url.port,
    path: '/v1/chat/completions',
    method: 'POST',
    agent: false,
  })
  outgoing.on('error', () => undefined)
  outgoing.on('response', (incoming) => incoming.on('error', () => undefined).resume())
  outgoing.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'x' }] }))
  return outgoing
}

/** Leaves at once, after some turns of the event loop, or once the reply has begun. */
async function leaveAfter(outgoing: ReturnType<typeof holdChat>, turns: number): Promise<void> {
  if (turns === 11) await new Promise((resolve) => outgoing.once('response', resolve).once('error', resolve))
  else for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  outgoing.destroy()
}
