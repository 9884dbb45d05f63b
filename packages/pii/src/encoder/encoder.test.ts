import { describe, expect, it } from 'vitest'
import { type Encoder, runRows } from './encoder.ts'
import type { GraphRunner, GraphShape } from './graph.ts'
import { createBatchMaker, type InputRow } from './input-batch.ts'

const SHAPE: GraphShape = {
  inputs: [{ name: 'input_ids', kind: 'int64', shape: ['rows', 'length'] }],
  outputs: [{ name: 'out', kind: 'float32', shape: ['rows', 'length', 2] }],
}
const row = (...ids: number[]): InputRow => ({ ids, types: ids.map(() => 0) })
const never = new AbortController().signal

/** An encoder with a limit of two tokens a run, whose graph gives each token its id and half of it. */
function createEncoder(events: string[]): Encoder {
  const run: GraphRunner['run'] = async ({ feeds }) => {
    const { dims = [], data = new BigInt64Array() } = feeds.input_ids ?? {}
    events.push(`run ${[...data].join()}`)
    const values = [...data].flatMap((id) => [Number(id), Number(id) / 2])
    return { kind: 'float32', dims: [...dims, 2], data: Float32Array.from(values) }
  }
  const graph: GraphRunner = { shape: SHAPE, run }
  return {
    graph,
    batches: createBatchMaker(SHAPE, { padId: 0 }),
    output: 'out',
    perToken: true,
    batchTokens: 2,
  }
}

describe('rows run through a graph', () => {
  it('give their results in order, without padding', async () => {
    const read = ({ values, length, width }: { values: Float32Array; length: number; width: number }) => ({
      values: [...values],
      length,
      width,
    })
    const rows = [row(4, 6), row(8), row(2)]
    expect(await runRows(createEncoder([]), { rows, read }, { signal: never })).toEqual([
      { values: [4, 2, 6, 3], length: 2, width: 2 },
      { values: [8, 4], length: 1, width: 2 },
      { values: [2, 1], length: 1, width: 2 },
    ])
    expect(await runRows(createEncoder([]), { rows: [], read }, { signal: never })).toEqual([])
  })

  it('are read after each run, so that the outputs of all need not be held together', async () => {
    const events: string[] = []
    const read = (_output: unknown, index: number) => events.push(`read ${index}`)
    await runRows(createEncoder(events), { rows: [row(1, 2), row(3), row(4)], read }, { signal: never })
    expect(events).toEqual(['run 3,4', 'read 1', 'read 2', 'run 1,2', 'read 0'])
  })

  it('fail where the graph gives something else than it said', async () => {
    const encoder = { ...createEncoder([]), perToken: false }
    const ran = runRows(encoder, { rows: [row(1, 2)], read: () => 0 }, { signal: never })
    await expect(ran).rejects.toMatchObject({ kind: 'internal', code: 'model_failed' })
  })
})
