import { expect, it } from 'vitest'
import { readPdf } from './read-pdf.ts'

it('a PDF whose reader never settles is given up after its time, and by its signal', async () => {
  let destroyed = 0
  const open = () => ({
    promise: new Promise<never>(() => undefined),
    destroy() {
      destroyed += 1
      return new Promise<void>(() => undefined)
    },
  })
  const bytes = new Uint8Array(8)
  await expect(readPdf(bytes, new AbortController().signal, { maxMs: 5, destroyMs: 5, open })).rejects.toMatchObject({
    code: 'document_limit',
    message: 'the document takes more than 0.005 s to read',
  })
  const leaving = new AbortController()
  const reading = readPdf(bytes, leaving.signal, { maxMs: 60_000, destroyMs: 5, open })
  leaving.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
  expect(destroyed).toBe(2)
})
