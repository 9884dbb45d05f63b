import { expect, it } from 'vitest'
import { createLivelinessTest, findSessionEnd } from './session-end.ts'

const HOUR = 3_600_000

it.each([
  [{ beganAt: 5, heardAt: 100, idleMs: 1000 }, 1100, 'session_idle'],
  [{ beganAt: 5, heardAt: 100, idleMs: 0 }, HOUR + 5, 'session_expired'],
  [{ beganAt: 5, heardAt: HOUR, idleMs: 1000 }, HOUR + 5, 'session_expired'],
])('a session of %o ends at %i with %s', (span, at, code) => {
  expect(findSessionEnd(span)).toMatchObject({ at, error: { code } })
})

it('takes speech and replies for signs, and no reply to silence', () => {
  const isLively = createLivelinessTest()
  const taken = (types: readonly string[]) => types.filter((type) => isLively({ type }))
  const used = ['input_audio_buffer.speech_started', 'response.output_audio.delta', 'output_audio_buffer.stopped']
  expect(taken([...used, 'conversation.item.sound_detection', 'rate_limits.updated', 'error'])).toEqual(used)
  expect(taken(['input_audio_buffer.timeout_triggered', 'response.created', 'response.done'])).toEqual([])
  expect(taken(used)).toEqual(used)
})
