import { describe, expect, it } from 'vitest'
import { Exchange } from './exchange.ts'
import { createPipeline, passThrough, STAGE_ORDER, type Stage, type StageName } from './pipeline.ts'

const exchange = (): Exchange => new Exchange({ call: {}, codec: {}, writer: {}, body: {} } as never)

function recording(stages: Partial<Record<StageName, Stage>> = {}) {
  const order: string[] = []
  const seats = Object.fromEntries(
    STAGE_ORDER.map((name): [StageName, Stage] => [
      name,
      stages[name] ??
        ((exchange) => {
          order.push(name)
          exchange.atEnd(() => order.push(`/${name}`))
          return name.length % 2 === 0 ? undefined : Promise.resolve()
        }),
    ]),
  ) as Record<StageName, Stage>
  return { order, pipeline: createPipeline(seats) }
}

describe('createPipeline', () => {
  // verifies request:order:stages
  it('runs every stage once, in the settled order, and unwinds in reverse', async () => {
    const { order, pipeline } = recording()
    await pipeline(exchange())
    const names = ['body', 'resolve', 'globalLimit', 'router', 'access', 'modelLimit', 'pii', 'parse', 'model', 'reply']
    expect(order).toEqual([...names, ...names.map((name) => `/${name}`).reverse()])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ] as const)('ends where a stage %s, and unwinds what had begun', async (_, cap) => {
    const released: unknown[] = []
    const { order, pipeline } = recording({
      globalLimit: (exchange) => {
        exchange.atEnd((thrown) => released.push(thrown))
        return undefined
      },
      modelLimit: cap,
    })
    await expect(pipeline(exchange())).rejects.toThrow('full')
    expect(order).toEqual(['body', 'resolve', 'router', 'access', '/access', '/router', '/resolve', '/body'])
    expect(released).toEqual([new Error('full')])
  })

  it('gives everything back, whatever fails on the way', async () => {
    const released: string[] = []
    const { pipeline } = recording({
      globalLimit: (exchange) => {
        exchange.atEnd(() => released.push('slot'))
        return undefined
      },
      modelLimit: (exchange) => {
        exchange.atEnd(() => {
          throw new Error('lost')
        })
        return undefined
      },
      router: passThrough,
    })
    await expect(pipeline(exchange())).rejects.toThrow('lost')
    expect(released).toEqual(['slot'])
  })
})
