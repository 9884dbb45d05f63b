import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { CallAccount } from './call-account.ts'
import { NO_USAGE } from './events.ts'

const figures = (promptTokens: number, completionTokens: number) => ({ ...NO_USAGE, promptTokens, completionTokens })

describe('figures that a server of the model leaves out', () => {
  interface Case {
    readonly figures?: readonly [prompt: number, completion: number, cached?: number] | undefined
    /** Bytes of the answer before the figures, and behind them. */
    readonly before?: number | undefined
    readonly behind?: number | undefined
  }

  it.each<[string, Case, [prompt: number, completion: number, isEstimated: boolean]]>([
    ['none at all', { behind: 9 }, [20, 3, true]],
    ['none, without an answer', {}, [20, 0, true]],
    ['none of the prompt', { figures: [0, 7], before: 9 }, [20, 7, true]],
    ['none of the answer', { figures: [50, 0], before: 9, behind: 4 }, [50, 4, true]],
    ['none of the end of the answer', { figures: [50, 7], before: 40, behind: 5 }, [50, 9, true]],
    ['none of an empty answer', { figures: [50, 0] }, [50, 0, false]],
    ['nothing', { figures: [50, 7], before: 40 }, [50, 7, false]],
    ['nothing of a hidden answer', { figures: [50, 7] }, [50, 7, false]],
  ])('are estimated: %s', (_, { figures: given, before = 0, behind = 0 }, expected) => {
    const account = new CallAccount(createModel({ name: 'm' }))
    account.noteAnswer(before)
    if (given !== undefined) account.count(figures(given[0], given[1]))
    account.noteAnswer(behind)
    // A second time changes nothing.
    for (let time = 0; time < 2; time += 1) account.estimateMissing(() => 20)
    const { usage, isEstimated } = account
    expect([usage.promptTokens, usage.completionTokens, isEstimated]).toEqual(expected)
  })

  it('are those behind the last figures, of running totals', () => {
    const account = new CallAccount(createModel({ name: 'm' }))
    account.count({ ...figures(5, 1), cachedTokens: 4 })
    account.noteAnswer(4)
    account.count({ ...figures(5, 2), cachedTokens: 4 })
    account.noteAnswer(4)
    // The same figures again, at the end: they cover no more than before.
    account.count({ ...figures(5, 2), cachedTokens: 4 })
    account.count(NO_USAGE)
    account.estimateMissing(() => 20)
    expect(account.usage).toMatchObject({ promptTokens: 5, completionTokens: 3, cachedTokens: 4 })
  })

  it('are none behind figures that come again from the server of the model', () => {
    const account = new CallAccount(createModel({ name: 'm' }))
    account.report(figures(5, 1))
    account.noteAnswer(4)
    account.report(figures(5, 1))
    account.estimateMissing(() => 20)
    expect([account.usage.completionTokens, account.isEstimated]).toEqual([1, false])
  })
})

it.each([
  [[{ seconds: 1 }, { seconds: 2.5, images: 1 }], { seconds: 2.5, images: 1 }],
  [[{ characters: 9 }, {}], { characters: 9 }],
  [[{ characters: 9 }, { characters: 0, seconds: undefined }], { characters: 9 }],
  [[{ seconds: 0, characters: 0, images: 0 }], undefined],
  [[{ seconds: Number.NaN, images: -1 }], undefined],
  [[{ seconds: Number.POSITIVE_INFINITY, characters: 1e300 }], { seconds: 1e9, characters: 1e9 }],
  [[], undefined],
])('media are running totals: %j', (told, expected) => {
  const account = new CallAccount(createModel())
  for (const media of told) account.countMedia(media)
  expect(account.usage.media).toEqual(expected)
  account.count(figures(5, 1))
  expect(account.usage).toMatchObject({ promptTokens: 5, ...(expected === undefined ? {} : { media: expected }) })
})

describe('an account', () => {
  const far = createModel({ name: 'far', serving: { kind: 'instance' } })
  const near = createModel({ name: 'near' })
  const answer = [{ type: 'text-delta', choice: 0, text: 'twelve bytes' }] as const

  it.each([
    ['measures the answer of a model elsewhere', far, {}, [9, 3, true]],
    ['leaves the answer of a backend of this machine to its figures', near, {}, [9, 0, true]],
    ['measures no prompt that comes back', far, { generates: false }, [9, 0, true]],
  ] as const)('%s', (_, model, options, expected) => {
    const account = new CallAccount(model, options)
    account.take(answer)
    account.estimateMissing(() => 9)
    const { usage, isEstimated } = account
    expect([usage.promptTokens, usage.completionTokens, isEstimated]).toEqual(expected)
  })

  it('takes estimates of a call that was left from this machine only', () => {
    for (const [model, expected] of [
      [near, [7, true]],
      [far, [0, false]],
    ] as const) {
      const account = new CallAccount(model)
      account.leave({ usage: figures(7, 0), isEstimated: true })
      expect([account.usage.promptTokens, account.isEstimated]).toEqual(expected)
    }
  })
})
