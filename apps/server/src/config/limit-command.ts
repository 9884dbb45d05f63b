/** A command about limits and budgets. */
export type LimitCommand =
  | { readonly what: 'limits list' }
  | { readonly what: 'limits add'; readonly limit: NewLimit }
  | { readonly what: 'limits remove'; readonly id: string }

/** A new limit, as its flags name it. */
export interface NewLimit {
  readonly subjectKind: string
  /** An id, a name, the address of an account, or `*` for each. */
  readonly subjectId: string
  readonly model: string | undefined
  readonly maxRequests: number | undefined
  readonly maxTokens: number | undefined
  readonly maxParallel: number | undefined
  /** An amount such as `12.50`. */
  readonly budget: string | undefined
  readonly currency: string | undefined
  readonly window: string | undefined
  readonly isSoft: boolean
  readonly note: string | undefined
}

/** The flags of `limits add`. */
export const LIMIT_FLAGS: readonly (readonly [string, string | undefined])[] = [
  ['--requests', 'how many requests pass in a window'],
  ['--tokens', 'how many tokens are used in a window'],
  ['--budget', 'how much money is spent in a window, such as 12.50'],
  ['--currency', 'the currency of the budget, such as USD'],
  ['--parallel', 'how many requests run at a time'],
  ['--window', 'minute, hour, day or month, "rolling 5h" or "fixed 7d"'],
  ['--for-model', 'the model whose requests count'],
  ['--soft', undefined],
  ['--note', 'a note for administrators'],
]

const COUNT = /^\d{1,15}$/

/** Reads the words of `limits add`. @param subject such as `account:ann@site.example` @returns a sentence that refuses them */
export function readNewLimit(
  subject: string,
  readFlag: (name: string) => string | true | undefined,
): NewLimit | string {
  const colon = subject.indexOf(':')
  if (colon <= 0 || colon === subject.length - 1) {
    return `limits add: ${JSON.stringify(subject)} is not KIND:NAME, such as account:ann@site.example or model:*`
  }
  const readText = (name: string): string | undefined => {
    const text = readFlag(name)
    return typeof text === 'string' ? text : undefined
  }
  const wrong = ['--requests', '--tokens', '--parallel'].find((name) => !COUNT.test(readText(name) ?? '0'))
  if (wrong !== undefined) return `${wrong}: ${JSON.stringify(readText(wrong))} is not a whole number`
  const readCount = (name: string): number | undefined => {
    const text = readText(name)
    return text === undefined ? undefined : Number(text)
  }
  return {
    subjectKind: subject.slice(0, colon),
    subjectId: subject.slice(colon + 1),
    model: readText('--for-model'),
    maxRequests: readCount('--requests'),
    maxTokens: readCount('--tokens'),
    maxParallel: readCount('--parallel'),
    budget: readText('--budget'),
    currency: readText('--currency'),
    window: readText('--window'),
    isSoft: readFlag('--soft') === true,
    note: readText('--note'),
  }
}
