import { expect, it, vi } from 'vitest'
import { readPdf } from './read-pdf.ts'

const state = vi.hoisted(() => ({ destroyed: 0 }))
vi.mock('unpdf/pdfjs', () => ({
  VerbosityLevel: { ERRORS: 0 },
  getDocument: () => ({
    promise: new Promise(() => undefined),
    destroy() {
      state.destroyed += 1
      return new Promise(() => undefined)
    },
  }),
}))

it('a PDF whose reader never settles is given up after its time, and by its signal', async () => {
  const bounds = { maxMs: 5, destroyMs: 5 }
  await expect(readPdf(new Uint8Array(8), new AbortController().signal, bounds)).rejects.toMatchObject({
    code: 'document_limit',
    message: 'the document takes more than 0.005 s to read',
  })
  const leaving = new AbortController()
  const reading = readPdf(new Uint8Array(8), leaving.signal, { maxMs: 60_000, destroyMs: 5 })
  leaving.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
  expect(state.destroyed).toBe(2)
})
