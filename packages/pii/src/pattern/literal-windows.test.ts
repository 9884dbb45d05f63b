import { describe, expect, it } from 'vitest'
import { chooseWindows } from './literal-windows.ts'

describe('the bytes a text is found by', () => {
  it.each(['sk-ant-', 'ghp_', 'abc', 'münze', '日本語', '🔑🔑🔑', 'private key', 'aébc', '-----BEGIN ', 'a🔑b'])(
    '%s: one window wherever the text begins',
    (literal) => {
      const encoded = new TextEncoder().encode(literal)
      for (const begin of [0, 1]) {
        const fitting = chooseWindows(literal, [7]).filter(
          ({ byteOffset, isEven }) => ((begin + byteOffset) % 2 === 0) === isEven,
        )
        expect(fitting).toHaveLength(1)
        for (const { window, byteOffset, offset, anchor, owners } of fitting) {
          expect([...window]).toEqual([...encoded.slice(byteOffset, byteOffset + window.length)])
          expect(window.length).toBeGreaterThanOrEqual(3)
          expect(new TextEncoder().encode(literal.slice(0, offset))).toHaveLength(byteOffset)
          expect(anchor).toBeGreaterThanOrEqual(offset)
          expect(owners).toEqual([7])
        }
      }
    },
  )

  it('are the rarest', () => {
    const [one] = chooseWindows('internal error: zq~9#', [0])
    expect(new TextDecoder().decode(one?.window)).toBe('zq~9')
  })
})
