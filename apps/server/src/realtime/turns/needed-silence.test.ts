import { expect, it } from 'vitest'
import type { TurnDetection } from '../ports.ts'
import { findNeededSilence } from './needed-silence.ts'

it.each([
  ['low', 1000, 2500, 8000],
  ['medium', 600, 1200, 4000],
  ['auto', 600, 1200, 4000],
  ['high', 400, 700, 2000],
] as const)('with %s eagerness the wait depends on the text', (eagerness, over, unclear, open) => {
  const settings: TurnDetection = { type: 'semantic_vad', eagerness, createResponse: true, interruptResponse: true }
  expect(findNeededSilence(settings, 'How are you?')).toBe(over)
  expect(findNeededSilence(settings, '')).toBe(unclear)
  expect(findNeededSilence(settings, 'I want to buy a')).toBe(open)
  expect(findNeededSilence(settings, undefined)).toBe(open)
})
