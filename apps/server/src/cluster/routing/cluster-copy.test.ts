import { createDeferred, createFakeClock, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../../db/__fixtures__/places.ts'
import type { Replica } from '../contract/nodes.ts'
import { aNode, aReplica } from '../decisions/__fixtures__/cluster.ts'
import { createClusterCopy } from './cluster-copy.ts'

const { signal } = new AbortController()

function open() {
  const clock = createFakeClock()
  /** Readings that have not ended. */
  const readings: ReturnType<typeof createDeferred<readonly Replica[]>>[] = []
  const copy = createClusterCopy({
    nodes: { list: async () => [aNode('a')], onChange: () => () => {} },
    scheduling: { list: async () => [] },
    replicas: {
      list() {
        const reading = createDeferred<readonly Replica[]>()
        readings.push(reading)
        return reading.promise
      },
    },
    frontEnd: 'one',
    clock,
    logger: silentLogger,
  })
  const end = (index: number, ...models: string[]): void =>
    readings[index]?.resolve(models.map((model) => aReplica('a', model)))
  return { copy, clock, readings, end }
}

it('is read once for many, and after a change once more beside its use', async () => {
  const { copy, clock, readings, end } = open()
  expect(copy.current()).toBeUndefined()
  const first = copy.read({ signal })
  end(0, 'm')
  expect((await first).view.ofModel('m').size).toBe(1)
  for (let request = 0; request < 5; request += 1) expect(copy.current()?.view.ofModel('m').size).toBe(1)
  expect(readings.length).toBe(1)
  copy.touch()
  for (let request = 0; request < 5; request += 1) expect(copy.current()?.view.ofModel('m').size).toBe(1)
  expect(readings.length).toBe(2)
  end(1)
  await eventually(() => expect(copy.current()?.view.ofModel('m').size).toBe(0))
  await clock.advance(10_000)
  expect(copy.current()).toBeUndefined()
})

it('gives callers during a reading the one after it', async () => {
  const { copy, readings, end } = open()
  const first = copy.read({ signal })
  const later = [copy.read({ signal }), copy.read({ signal })]
  end(0, 'old')
  await first
  await eventually(() => expect(readings.length).toBe(2))
  end(1, 'new')
  for (const { view } of await Promise.all(later)) expect(view.ofModel('new').size).toBe(1)
})

it('lets a caller go whose request has ended, and goes on for the others', async () => {
  const { copy, readings, end } = open()
  const left = new AbortController()
  const gone = copy.read({ signal: left.signal })
  left.abort(new Error('the client has left'))
  await expect(gone).rejects.toThrow('the client has left')
  const next = copy.read({ signal })
  end(0)
  await eventually(() => expect(readings.length).toBe(2))
  end(1, 'm')
  expect((await next).view.ofModel('m').size).toBe(1)
})
