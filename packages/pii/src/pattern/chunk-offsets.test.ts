import { expect, it } from 'vitest'
import { Dice } from './__fixtures__/random-patterns.ts'
import { ChunkOffsets } from './chunk-offsets.ts'

it('finds the code unit of every character, in any order of asking', () => {
  const dice = new Dice(61)
  const bytes = new Uint8Array(4096)
  const offsets = new ChunkOffsets(bytes)
  for (let round = 0; round < 200; round++) {
    const characters = Array.from({ length: dice.roll(300) + 1 }, () =>
      dice.pick(['a', 'b', ' ', 'é', '日', '🔑', 'plain text ', '\ud83d']),
    )
    const text = characters.join('')
    const { written, read } = new TextEncoder().encodeInto(text, bytes)
    expect(read).toBe(text.length)
    offsets.reset(1000, written === text.length)
    const places: [number, number][] = []
    for (let unit = 0, byte = 0; unit < text.length; ) {
      places.push([byte, unit])
      const code = text.codePointAt(unit) ?? 0
      byte += new TextEncoder().encode(String.fromCodePoint(code)).length
      unit += code > 0xffff ? 2 : 1
    }
    for (const [byte, unit] of places) expect(offsets.unitAt(byte)).toBe(1000 + unit)
    for (let times = 0; times < 20; times++) {
      const [byte = 0, unit = 0] = places[dice.roll(places.length)] ?? []
      expect(offsets.unitAt(byte)).toBe(1000 + unit)
    }
  }
})
