import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { createDice, mutateStream } from '../support/mutate-events.ts'
import { openRealtime, type RealtimeEvent, type RealtimeSocket } from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Streams of events: some hundreds; with `SVC_LONG=1` 10,000, or `FUZZ_STREAMS`. */
const STREAMS = Number(process.env.FUZZ_STREAMS) || (process.env.SVC_LONG === '1' ? 10_000 : 300)
const SEED = Number(process.env.SVC_TEST_SEED) || 20_261_130
/** Sessions that are open at once. */
const TOGETHER = 8
/** Ends of a socket that a client brings about: a frame or a rate that is not allowed. */
const CLOSED_BY_BOUNDS = [1003, 1007, 1008, 1009]
/** Memory that may come and go while the code gets warm, MiB. */
const ROOM = 64

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await addTalk(server)
})
afterAll(() => server.close())

const readCode = ({ error }: RealtimeEvent): unknown => Reflect.get(Object(error), 'type')

/** Whether a session answers, or its socket was closed by a bound. */
async function isAlive(session: RealtimeSocket): Promise<boolean> {
  const closed = session.closed.then(({ code }) => code)
  const code = await Promise.race([closed, session.settled().then(() => undefined)])
  if (code === undefined) return true
  expect(CLOSED_BY_BOUNDS).toContain(code)
  return false
}

async function runStreams(first: number, step: number): Promise<number> {
  let session = await openRealtime(server.url)
  let errors = 0
  let checked = 0
  for (let stream = first; stream < STREAMS; stream += step) {
    for (const message of mutateStream(createDice(SEED + stream))) {
      if (typeof message === 'string') session.send(message)
      else session.ws.send(message)
    }
    const isOpen = await isAlive(session)
    const seen = session.heard.slice(checked)
    checked = session.heard.length
    for (const event of seen) {
      if (event.type !== 'error') continue
      errors += 1
      expect([stream, event, readCode(event)]).not.toEqual([stream, event, 'server_error'])
    }
    if (isOpen && stream % 50 < step) {
      await session[Symbol.asyncDispose]()
      session = await openRealtime(server.url)
      checked = 0
    }
    if (!isOpen) {
      session = await openRealtime(server.url)
      checked = 0
    }
  }
  await session[Symbol.asyncDispose]()
  return errors
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function readHeap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

verifies('realtime:bound:mutated', 'answers mutated events with error events, and the sessions go on', async () => {
  const before = readHeap()
  const errors = await Promise.all(Array.from({ length: TOGETHER }, (_, index) => runStreams(index, TOGETHER)))
  expect(errors.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(STREAMS)
  const failures = server.logLines.filter((line) => /"level":"?(error|fatal|50|60)/.test(line))
  expect(failures).toEqual([])
  await eventually(() =>
    expect(server.records('mind').filter(({ event }) => event === 'start')).toHaveLength(
      server.records('mind').filter(({ event }) => event === 'end').length,
    ),
  )
  expect(readHeap() - before).toBeLessThan(ROOM)
  await using session = await openRealtime(server.url)
  expect(session.heard[0]?.type).toBe('session.created')
})
