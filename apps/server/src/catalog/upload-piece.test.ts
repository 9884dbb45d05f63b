import { open } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { writePiece } from './upload-piece.ts'

it('asks for no further part once it is cut, and leaves no failure behind', async () => {
  await using dir = await tempDir()
  const path = dir.join('piece')
  const file = await open(path, 'w')
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const controller = new AbortController()
  let asked = 0
  const parts: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        asked += 1
        if (asked > 1) throw new Error('the connection is gone')
        return { done: false, value: Buffer.from('GGUFxxxx') }
      },
    }),
  }
  const writing = writePiece({ filename: 'm.gguf', path, file, sizeBytes: 100 }, parts, {
    offset: 0,
    // the part is here, and is written when the piece has been cut
    onPart: () => controller.abort(new Error('sent again')),
    signal: controller.signal,
  })
  await expect(writing).rejects.toThrow('sent again')
  await new Promise((resolve) => setImmediate(resolve))
  expect([asked, unhandled]).toEqual([1, []])
  await file.close()
})
