import { createLocalPrincipal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../../db/__fixtures__/places.ts'
import { BodyBudget } from '../../monitoring/traces/kept-body.ts'
import { RequestTrace, type TracedRequest } from '../../monitoring/traces/request-trace.ts'
import { noteTurn } from './note-turn.ts'

it('a turn has a trace of its own, with the times of its stages', async () => {
  const clock = createFakeClock()
  const ended: string[] = []
  const begin = (request: TracedRequest): RequestTrace => {
    const trace = new RequestTrace(request, {
      clock,
      maxBodyBytes: 0,
      budget: new BodyBudget(1),
      toStatus: () => 500,
      isOn: () => true,
      onEnd: () => undefined,
    })
    trace.occupy({
      finish: (describe: (id: string) => string) => ended.push(describe('1')),
      drop: () => ended.push('dropped'),
    } as never)
    return trace
  }
  const caller = {
    requestId: 's-2',
    principal: createLocalPrincipal('ada'),
    log: silentLogger,
    useModel: () => undefined,
  }
  const startedAt = clock.monotonic()
  await clock.advance(1000)
  const seconds: number[] = []
  const recorders = { pipeline: 'talk', traces: { begin }, observeFirstSound: (one: number) => seconds.push(one) }
  const times = { transcribedMs: 100, firstTokenMs: 250, firstAudioMs: 400, doneMs: 1000 }
  noteTurn({ times, startedAt }, caller, recorders)
  expect(JSON.parse(ended[0] ?? '')).toMatchObject({
    correlation_id: 's-2',
    model: 'talk',
    request: { method: 'GET', path: '/v1/realtime' },
    response: { status: 200 },
    phases: { transcription: 100, language_model: 150, speech: 150, playback: 600, first_token: 250, total: 1000 },
  })
  const failure = new SvcError('internal', 'no voice', { code: 'tts_error' })
  noteTurn({ times: { transcribedMs: 100 }, startedAt, failure }, caller, recorders)
  expect(JSON.parse(ended[1] ?? '')).toMatchObject({ failed: true, error_code: 'tts_error' })
  expect(seconds).toEqual([0.4])
})
