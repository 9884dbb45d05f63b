import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countBase64Bytes, toStandardBase64 } from './base64-text.ts'

const { signal } = new AbortController()

describe('base64', () => {
  it('is the same text when it is as backends read it', async () => {
    for (const text of ['', 'AA==', 'AAA=', 'AAAA', '+/+/']) expect(await toStandardBase64(text, signal)).toBe(text)
  })

  it.each([
    ['without padding', 'AA', 'AA=='],
    ['URL-safe', '-_-_', '+/+/'],
    ['in lines', 'AAAA\r\nBBBB\n', 'AAAABBBB'],
    ['with blanks before the padding', 'AA ==', 'AA=='],
    ['with padding of another length', 'AAAA==', 'AAAA'],
  ])('becomes that: %s', async (_, text, standard) => {
    expect(await toStandardBase64(text, signal)).toBe(standard)
  })

  it.each(['A', 'AAAAA', 'A===', 'AA=A', '!!!!', 'AAA\u00e9', 'AA%3D', 'AAAA\0'])('is not %j', async (text) => {
    expect(await toStandardBase64(text, signal)).toBeUndefined()
  })

  it('holds the bytes it was made of, however it is written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), fc.boolean(), async (bytes, isUrlSafe) => {
        const written = Buffer.from(bytes).toString(isUrlSafe ? 'base64url' : 'base64')
        const standard = (await toStandardBase64(written, signal)) ?? 'refused'
        expect(standard).toBe(Buffer.from(bytes).toString('base64'))
        expect(countBase64Bytes(standard)).toBe(bytes.length)
      }),
    )
  })

  it('lets other work in while a long text is read, and ends for a client that has gone', async () => {
    const controller = new AbortController()
    const reading = toStandardBase64('A'.repeat(4_000_000), controller.signal)
    const turn = new Promise<void>((resolve) =>
      setImmediate(() => {
        controller.abort(new Error('gone'))
        resolve()
      }),
    )
    await expect(reading).rejects.toThrow('gone')
    await turn
  })

  it('is checked to its last character', async () => {
    const long = 'A'.repeat(3 * 1024 * 1024)
    expect(await toStandardBase64(`${long}AAA!`, signal)).toBeUndefined()
    expect(await toStandardBase64(`${long}AA_-`, signal)).toBe(`${long}AA/+`)
    expect(await toStandardBase64(` ${long}A\n${long}AB_`, signal)).toBe(`${long}${long}AAB/`)
  })
})
