import { expect, it } from 'vitest'
import { chooseGpuLayers } from './open-model.ts'

it.each<[string, boolean, number, number | 'auto']>([
  ['takes none without a graphics card, for any wish', false, 99_999_999, 0],
  ['takes as many as fit where all are wished', true, 99_999_999, 'auto'],
  ['takes the number that is wished', true, 12, 12],
  ['takes none where none is wished', true, 0, 0],
])('%s', (_, hasGpu, wished, expected) => {
  expect(chooseGpuLayers(hasGpu, wished)).toBe(expected)
})
