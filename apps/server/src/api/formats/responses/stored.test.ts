import { createFakeClock, eventually, readSse } from '@svc/test-kit'
import type { ResponseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { startTestApp } from '../../../../test/support/test-app.ts'
import { createBus } from '../../../bus/create-bus.ts'
import { silentLogger } from '../../../db/__fixtures__/places.ts'
import { defineRoute } from '../../../http/route.ts'
import type { ResponseStore } from '../../../responses/stored-response.ts'
import type { CreateParts } from './create.ts'
import { getEvents } from './stored.ts'

const frame = (number: number): string => `event: e\ndata: {"sequence_number":${number}}\n\n`

/** A response that another server runs: this one has only its rows. */
async function startReader() {
  const clock = createFakeClock()
  const bus = createBus({ logger: silentLogger })
  const frames: string[] = []
  let status: ResponseResource['status'] = 'in_progress'
  let looks = 0
  const store = {
    async read() {
      looks += 1
      return { resource: { status } as ResponseResource, input: [], streamed: true }
    },
    readEvents: async (_: string, after: number) =>
      frames.length - 1 > after ? { firstSequence: after + 1, frames: frames.slice(after + 1) } : undefined,
  } as unknown as ResponseStore
  const parts = {
    store,
    bus,
    clock,
    live: { get: () => undefined },
    compression: { enabled: false, minLength: 0 },
  } as unknown as CreateParts
  const app = await startTestApp([
    defineRoute({
      method: 'GET',
      path: '/v1/responses/:id/events',
      access: 'any',
      family: 'responses',
      tag: 'test',
      summary: '',
      handler: (call) => getEvents(call, parts),
    }),
  ])
  return {
    app,
    bus,
    clock,
    frames,
    looks: () => looks,
    finish: () => {
      status = 'completed'
    },
  }
}

describe('events of a response that another server runs', () => {
  it('come with its messages, without a look in between', async () => {
    const { app, bus, clock, frames, looks, finish } = await startReader()
    await using _ = app
    frames.push(frame(0))
    const response = await fetch(`${app.url}/v1/responses/r/events`)
    const events = readSse(response)[Symbol.asyncIterator]()
    expect((await events.next()).value).toMatchObject({ data: '{"sequence_number":0}' })
    await clock.waitForSleepers(1)
    const before = looks()
    bus.publish('responses.changed', { id: 'another' })
    frames.push(frame(1), frame(2))
    bus.publish('responses.changed', { id: 'r' })
    expect((await events.next()).value).toMatchObject({ data: '{"sequence_number":1}' })
    expect((await events.next()).value).toMatchObject({ data: '{"sequence_number":2}' })
    await eventually(() => expect(looks()).toBe(before + 1))
    await clock.waitForSleepers(1)
    finish()
    bus.publish('responses.changed', { id: 'r' })
    expect((await events.next()).value).toMatchObject({ data: '[DONE]' })
    await eventually(() => expect(clock.sleepers).toBe(0))
  })

  it('come half a second later when a message is lost', async () => {
    const { app, clock, frames, finish } = await startReader()
    await using _ = app
    const response = fetch(`${app.url}/v1/responses/r/events`)
    await clock.waitForSleepers(1)
    frames.push(frame(0))
    finish()
    await clock.advance(500)
    const seen: string[] = []
    for await (const { data } of readSse(await response)) seen.push(data)
    expect(seen).toEqual(['{"sequence_number":0}', '[DONE]'])
  })
})
