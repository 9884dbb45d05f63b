import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { Reply } from '../replies/reply.ts'
import { createIdleStages } from './__fixtures__/idle-stages.ts'
import {
  Cleanup,
  createRequestCore,
  type IncomingRequest,
  STAGE_ORDER,
  type StageName,
  type Stages,
} from './pipeline.ts'

const model = createModel({ name: 'm' })
const document = parseJson(Buffer.from('{}'))
const incoming = { context: {}, format: {}, source: { message: document } } as unknown as IncomingRequest

/** Stages that record their name when entered, and again when the request ends. */
function recording(stages: Partial<Stages> = {}) {
  const order: StageName[] = []
  const observed: string[] = []
  const note = (name: StageName, cleanup?: Cleanup): void => {
    order.push(name)
    cleanup?.add(() => observed.push(`given back ${name}`))
  }
  const idle = Object.entries({
    ...createIdleStages(),
    resolve: () => ({ replyModel: 'alias', requestedModel: 'alias', model, through: ['alias'] }),
  })
  const noted = idle.map(([name, run]: [string, (...args: never[]) => unknown]) => [
    name,
    (...args: never[]) => {
      note(
        name as StageName,
        args.find((arg: unknown) => arg instanceof Cleanup),
      )
      return run(...args)
    },
  ])
  const all: Stages = { ...(Object.fromEntries(noted) as Stages), ...stages }
  const core = createRequestCore(all, {
    observe(stage) {
      observed.push(stage)
      return () => observed.push(`/${stage}`)
    },
  })
  const delivered: Reply[] = []
  const serve = () =>
    core.serve(incoming, async (reply) => {
      order.push('reply')
      delivered.push(reply)
    })
  return { order, observed, delivered, serve }
}

describe('createRequestCore', () => {
  // verifies request:order:stages
  it('runs every stage once, in the settled order, and gives back in reverse', async () => {
    const { order, observed, serve } = recording()
    const ledger = await serve()
    expect(order).toEqual([...STAGE_ORDER])
    expect(observed.filter((step) => !step.startsWith('given'))).toEqual([
      ...STAGE_ORDER,
      ...STAGE_ORDER.map((name) => `/${name}`).reverse(),
    ])
    expect(observed.filter((step) => step.startsWith('given'))).toEqual(
      ['model', 'parse', 'modelLimit', 'access', 'globalLimit', 'body'].map((name) => `given back ${name}`),
    )
    expect([ledger.requestedModel, ledger.servedModel]).toEqual(['alias', model])
  })

  it('decides access, limits and filter on the model that the router chose', async () => {
    const other = createModel({ name: 'other' })
    const seen: string[] = []
    const { serve } = recording({
      router: () => other,
      access: ({ request }) => void seen.push(request.model.name),
      modelLimit: (request) => void seen.push(request.model.name),
      pii: (request) => {
        seen.push(request.model.name)
        return { splices: [] }
      },
    })
    const ledger = await serve()
    expect([...seen, ledger.servedModel.name, ledger.requestedModel]).toEqual([
      'other',
      'other',
      'other',
      'other',
      'alias',
    ])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ] as const)('ends where a stage %s, and gives back everything taken before it', async (_, access) => {
    const released: unknown[] = []
    const { order, delivered, serve } = recording({
      globalLimit: (_request, cleanup) => cleanup.add((thrown) => released.push(thrown)),
      access,
    })
    await expect(serve()).rejects.toThrow('full')
    expect(order).toEqual(['body', 'resolve', 'router'])
    expect(released).toEqual([new Error('full')])
    expect(delivered).toEqual([])
  })

  it('gives everything back even if giving one thing back fails', async () => {
    const released: string[] = []
    const { serve } = recording({
      globalLimit: (_request, cleanup) => cleanup.add(() => released.push('slot')),
      modelLimit: (_request, cleanup) =>
        cleanup.add(() => {
          throw new Error('lost')
        }),
    })
    await expect(serve()).rejects.toThrow('lost')
    expect(released).toEqual(['slot'])
  })
})
