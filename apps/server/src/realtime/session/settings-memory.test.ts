import { expect, it } from 'vitest'
import { createRooms } from '../rooms.ts'
import type { SessionSettings } from './settings.ts'
import { createSettingsMemory } from './settings-memory.ts'

function createSettings(instructions: number, prompt: number | null = null) {
  const transcription = prompt === null ? null : { prompt: 'x'.repeat(prompt) }
  return { answers: { instructions: 'x'.repeat(instructions), tools: [] }, transcription } as unknown as SessionSettings
}

it('counts instructions and prompts, and what is new beside the former ones', () => {
  const counts: number[] = []
  const hold = createSettingsMemory({
    add: (bytes) => counts.push(bytes) > 0,
    subtract: (bytes) => counts.push(-bytes),
  })
  hold(createSettings(1000, 100))
  hold(createSettings(1500, 100))
  hold(createSettings(500))
  hold(createSettings(500))
  expect(counts).toEqual([2204, 1000, -2200])
})

it('refuses what has no room, and keeps the count of the former ones', () => {
  const counts: number[] = []
  const hold = createSettingsMemory({ add: (bytes) => bytes <= 1000, subtract: (bytes) => counts.push(bytes) })
  hold(createSettings(400))
  expect(() => hold(createSettings(1000))).toThrow(expect.objectContaining({ code: 'session_update_error' }))
  hold(createSettings(100))
  expect(counts).toEqual([600])
})

it('are part of the bound of all sessions', () => {
  const rooms = createRooms(() => ({ total: 1000, perAccount: 0 }))
  const enter = () => createSettingsMemory(rooms.enter({ kind: 'anonymous', id: '' } as never).memory)
  const open = (): void => enter()(createSettings(1_000_000))
  for (let session = 0; session < 268; session++) open()
  expect(open).toThrow('too much memory')
})
