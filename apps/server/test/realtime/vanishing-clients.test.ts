import { eventually, patienceMs } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { makeSilence, makeTone, openRealtime, type RealtimeSocket } from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Time in which a client that is gone may still hold something. */
const FREE_MS = 2000
const VAD = { audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 200 } } } }
const MODELS = ['ear', 'mind', 'mouth']

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await addTalk(server, {
    mind: [{ rpc: 'Predict*', do: { text: 'It is noon. It is late. It is over.', pieceDelayMs: 3 } }],
    mouth: { pieceDelayMs: 3 },
  })
  for (const [name, stage] of [
    ['deaf', 'ear'],
    ['dull', 'mind'],
    ['mute', 'mouth'],
  ] as const)
    await addTalk(server, {
      name,
      isShared: true,
      ...(stage === 'ear' ? { ear: { hang: true } } : {}),
      ...(stage === 'mind' ? { mind: [{ rpc: 'Predict*', do: { text: 'a b', hang: 1 } }] } : {}),
      ...(stage === 'mouth' ? { mouth: { hang: true } } : {}),
    })
})
afterAll(() => server.close())

/** Calls of a model that have begun and not ended. */
function countRunning(model: string): number {
  const records = server.records(model)
  return records.filter(({ event }) => event === 'start').length - records.filter(({ event }) => event === 'end').length
}

async function expectNothingRuns(models: readonly string[]): Promise<void> {
  const since = performance.now()
  await eventually(() => expect(models.map(countRunning)).toEqual(models.map(() => 0)))
  expect(performance.now() - since).toBeLessThan(patienceMs(FREE_MS))
}

function speak(session: RealtimeSocket): void {
  session.say(Buffer.concat([makeSilence(200), makeTone(500), makeSilence(800)]))
}

/** Counts the events of a whole turn by voice. */
async function countEvents(): Promise<number> {
  await using session = await openRealtime(server.url, { session: VAD })
  speak(session)
  await session.until('response.done')
  return session.heard.length
}

/** Opens a session, speaks, and is gone once so many events have come. */
async function vanish(after: number): Promise<void> {
  const session = await openRealtime(server.url, { session: VAD })
  speak(session)
  const hasHeard = (): void => {
    if (session.heard.length < after) throw new Error(`heard ${session.heard.map(({ type }) => type).join(', ')}`)
  }
  await eventually(hasHeard, { intervalMs: 1 })
  session.ws.terminate()
  await session.closed
}

describe('a client that vanishes', () => {
  verifies('realtime:bound:vanished', 'at any event of a turn leaves no call behind', async () => {
    const count = await countEvents()
    expect(count).toBeGreaterThan(20)
    // two at a time: the others would wait for the stages
    const odd = async (first: number): Promise<void> => {
      for (let after = first; after <= count; after += 2) await vanish(after)
    }
    await Promise.all([odd(1), odd(2)])
    await expectNothingRuns(MODELS)
  })

  it.each([
    ['deaf', 'deaf-ear', 'AudioTranscription'],
    ['dull', 'dull-mind', 'PredictStream'],
    ['mute', 'mute-mouth', 'TTS'],
  ])('while %s waits for %s ends that call', async (model, stage, rpc) => {
    const session = await openRealtime(server.url, { model, session: VAD })
    speak(session)
    await eventually(() =>
      expect(server.records(stage).some((record) => record.event === 'start' && record.rpc.startsWith(rpc))).toBe(true),
    )
    session.ws.terminate()
    await session.closed
    await expectNothingRuns([stage, ...MODELS])
  })
})
