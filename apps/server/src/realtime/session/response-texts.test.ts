import { createDeferred, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createWorld } from './__fixtures__/session-world.ts'

const ROOM = 1_000_000
const INSTRUCTIONS = 'x'.repeat(100_000)
const TOOLS = [{ type: 'function', name: 'f', description: 'y'.repeat(50_000) }]
const INPUT = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'z'.repeat(25_000) }] }]
const beside = (fields: object) => ({ type: 'response.create', response: { conversation: 'none', ...fields } })

/** A session whose memory has a bound, with a model that answers when it may. */
async function start() {
  let held = 0
  const pause = createDeferred<void>()
  const world = createWorld({
    parts: {
      memory: {
        add(bytes) {
          if (held + bytes > ROOM) return false
          held += bytes
          return true
        },
        subtract(bytes) {
          held -= bytes
        },
      },
    },
    stages: {
      async *think(_request, { signal }) {
        const left = createDeferred<never>()
        signal.addEventListener('abort', () => left.reject(signal.reason))
        await Promise.race([pause.promise, left.promise])
        yield [{ type: 'text-delta' as const, choice: 0, text: 'Hi.' }]
      },
    },
  })
  await world.until('session.created')
  const idle = held
  return {
    ...world,
    answer: () => pause.resolve(),
    /** Bytes that are held beyond those of a session without a response, to ten kilobytes. */
    held: () => Math.round((held - idle) / 10_000) * 10_000,
  }
}

// verifies realtime:bound:response-texts
it('are counted until the models are done', async () => {
  const world = await start()
  await world.send(beside({ instructions: INSTRUCTIONS, tools: TOOLS, input: INPUT }))
  await world.until('response.created')
  expect(world.held()).toBe(350_000)
  world.answer()
  await world.until('response.done')
  await eventually(() => expect(world.held()).toBe(0))
})

it('are counted until a response that is cancelled has ended', async () => {
  const world = await start()
  await world.send({ type: 'response.create', response: { instructions: INSTRUCTIONS } })
  expect(world.held()).toBe(200_000)
  await world.send({ type: 'response.cancel' })
  await world.until('response.done')
  await eventually(() => expect(world.held()).toBe(0))
})

it('of the session stay counted while a response has them', async () => {
  const world = await start()
  await world.send({ type: 'session.update', session: { instructions: INSTRUCTIONS } })
  await world.send({ type: 'response.create' })
  await world.send({ type: 'session.update', session: { instructions: '' } })
  expect(world.held()).toBe(200_000)
  world.answer()
  await world.until('response.done')
  await eventually(() => expect(world.held()).toBe(0))
})

it('without room end the response as failed, and not the session', async () => {
  const world = await start()
  await world.send(beside({ instructions: 'x'.repeat(ROOM) }))
  const events = await world.until('response.done')
  expect(events).toMatchObject([
    { type: 'response.created' },
    { type: 'error', error: { type: 'server_error', code: 'session_update_error' } },
    { response: { status: 'failed', status_details: { error: { code: 'session_update_error' } } } },
  ])
  expect(world.held()).toBe(0)
  world.answer()
  await world.send(beside({ instructions: INSTRUCTIONS }))
  expect((await world.until('response.done')).at(-1)).toMatchObject({ response: { status: 'completed' } })
})
