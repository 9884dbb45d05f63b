import { expect, it } from 'vitest'
import { mapBatches } from './map-batches.ts'

it('keeps nothing of the empty results before a batch', async () => {
  let goOn = (): void => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  async function* source(): AsyncGenerator<number, void, void> {
    for (let step = 0; step < 1000; step += 1) yield 0
    await held
    yield 1
  }
  const batches = mapBatches(source(), (value) => (value === 0 ? [] : [value]))[Symbol.asyncIterator]()
  let got: readonly number[] = []
  void batches.next().then(({ value = [] }) => {
    got = value
  })
  await new Promise((resolve) => setImmediate(resolve))
  goOn()
  // A promise that waits for a thousand others takes a turn of the job queue for each.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  expect(got).toEqual([1])
})
