import { setMaxListeners } from 'node:events'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type Attempts, createAttempts } from './attempts.ts'

const { signal } = new AbortController()
// a hundred attempts at once listen to it
setMaxListeners(0, signal)
const from = (clientAddress: string) => ({ clientAddress, signal })
const HOME = '192.0.2.1'
const OFFICE = '192.0.2.2'

/** The outcomes of attempts. @param known pairs of account and address, between blanks */
function createWorld({ perMinute = 5, known = '' } = {}) {
  const clock = createFakeClock()
  const attempts = createAttempts({
    clock,
    perMinute,
    knownAddresses: { isKnown: async (email, address) => known.includes(` ${email}@${address} `) },
  })
  const outcome = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (SvcError.is(error) ? error.kind : String(error)),
    )
  const fails = async (kind: SvcError['kind'] = 'unauthenticated') => {
    throw new SvcError(kind, 'no')
  }
  return {
    clock,
    attempts,
    outcome,
    fails,
    guess: (address: string, email: unknown) => outcome(attempts.signIn(from(address), email, () => fails())),
    enter: (address: string, email: unknown) => outcome(attempts.signIn(from(address), email, async () => 'in')),
  }
}

async function repeat(times: number, work: (index: number) => Promise<string>): Promise<readonly string[]> {
  const outcomes = new Set<string>()
  for (let index = 0; index < times; index += 1) outcomes.add(await work(index))
  return [...outcomes]
}

describe('AU-1: attempts to sign in', () => {
  it('that fail are five a minute for an address with an account; those that succeed count nothing', async () => {
    const { clock, guess, enter } = createWorld()
    expect(await repeat(4, () => guess(HOME, 'ada'))).toEqual(['unauthenticated'])
    expect(await repeat(50, () => enter(HOME, 'ada'))).toEqual(['done'])
    expect(await guess(HOME, 'ada')).toBe('unauthenticated')
    expect([await guess(HOME, 'ada'), await enter(HOME, 'ada')]).toEqual(['rate_limited', 'rate_limited'])
    expect([await enter(OFFICE, 'ada'), await enter(HOME, 'bob')]).toEqual(['done', 'done'])
    await clock.advance(60_000)
    expect(await enter(HOME, 'ada')).toBe('done')
  })

  it.each([
    ['in capitals', ' ADA '],
    ['with blanks', '\tada\n'],
  ])('are at one account when its name is written %s', async (_, written) => {
    const { guess } = createWorld()
    await repeat(5, () => guess(HOME, 'ada'))
    expect(await guess(HOME, written)).toBe('rate_limited')
  })

  it.each([
    ['as IPv6', `::ffff:${HOME}`, HOME],
    ['in one network of 64 bits', '2001:db8::1', '2001:db8::ffff:2'],
  ])('are of one address when it is written %s', async (_, one, other) => {
    const { guess } = createWorld()
    await repeat(5, () => guess(one, 'ada'))
    expect(await guess(other, 'ada')).toBe('rate_limited')
  })

  it.each([undefined, null, 7, {}, [], '', '\0', 'x'.repeat(10_000)])(
    'are counted for the name %j too',
    async (name) => {
      const { guess } = createWorld()
      expect(await repeat(5, () => guess(HOME, name))).toEqual(['unauthenticated'])
      expect(await guess(HOME, name)).toBe('rate_limited')
    },
  )

  it('that are spread over addresses close the account at 100, but not where its owner has been', async () => {
    const { guess, enter } = createWorld({ known: ` ada@${HOME} ` })
    expect(await repeat(100, (index) => guess(`198.51.100.${Math.floor(index / 5)}`, 'ada'))).toEqual([
      'unauthenticated',
    ])
    expect([await guess(OFFICE, 'ada'), await enter(OFFICE, 'ada')]).toEqual(['rate_limited', 'rate_limited'])
    expect([await enter(HOME, 'ada'), await enter(OFFICE, 'bob')]).toEqual(['done', 'done'])
    expect(await repeat(5, () => guess(HOME, 'ada'))).toEqual(['unauthenticated'])
    expect(await enter(HOME, 'ada'), 'its own limit holds').toBe('rate_limited')
  })

  it('that are spread over accounts close the address at 50, but not for those who have been there', async () => {
    const { guess, enter } = createWorld({ known: ` ada@${HOME} ` })
    expect(await repeat(50, (index) => guess(HOME, `user-${index}`))).toEqual(['unauthenticated'])
    expect([await guess(HOME, 'eve'), await enter(HOME, 'bob')]).toEqual(['rate_limited', 'rate_limited'])
    expect([await enter(HOME, 'ada'), await enter(OFFICE, 'bob')]).toEqual(['done', 'done'])
  })

  it('that come at once fail five times and no more, and all succeed that can', async () => {
    const { guess, enter } = createWorld()
    const entered = await Promise.all(Array.from({ length: 100 }, () => enter(HOME, 'ada')))
    expect(new Set(entered)).toEqual(new Set(['done']))
    const guessed = await Promise.all(Array.from({ length: 100 }, () => guess(HOME, 'ada')))
    expect(guessed.filter((outcome) => outcome === 'unauthenticated')).toHaveLength(5)
  })

  it.each(['forbidden', 'unavailable', 'invalid_request', 'rate_limited', 'cancelled', 'internal'] as const)(
    'that end with %s are no failures',
    async (kind) => {
      const { attempts, outcome, fails, enter } = createWorld()
      const end = () => outcome(attempts.signIn(from(HOME), 'ada', () => fails(kind)))
      expect(await repeat(20, end)).toEqual([kind])
      expect(await enter(HOME, 'ada')).toBe('done')
    },
  )

  it('are not limited with 0', async () => {
    const { guess, attempts, outcome, fails } = createWorld({ perMinute: 0 })
    expect(await repeat(300, () => guess(HOME, 'ada'))).toEqual(['unauthenticated'])
    expect(await repeat(300, () => outcome(attempts.arrival(from(HOME), () => fails('invalid_request'))))).toEqual([
      'invalid_request',
    ])
  })
})

describe('AU-1: other attempts', () => {
  type Named = readonly [string, number, (attempts: Attempts, work: () => Promise<never>) => Promise<unknown>]
  const others: readonly Named[] = [
    ['of a token', 5, (attempts, work) => attempts.tokenSignIn(from(HOME), work)],
    ['at an invite', 5, (attempts) => attempts.inviteCheck(from(HOME), 'code', async () => false)],
    ['to register', 50, (attempts, work) => attempts.registration(from(HOME), work)],
    ['to leave for a provider', 60, (attempts, work) => attempts.departure(from(HOME), work)],
  ]

  it.each(others)('%s have a budget of their own, of %i', async (name, limit, run) => {
    const { attempts, outcome, fails, guess, enter } = createWorld()
    const mine = () => outcome(run(attempts, fails))
    await repeat(limit, mine)
    expect(await mine()).toBe('rate_limited')
    expect(await enter(HOME, 'ada'), 'passwords go on').toBe('done')
    for (const [other, , runOther] of others)
      if (other !== name) expect(await outcome(runOther(attempts, fails)), other).not.toBe('rate_limited')
    const fresh = createWorld()
    await repeat(50, (index) => fresh.guess(HOME, `user-${index}`))
    expect(await fresh.outcome(run(fresh.attempts, fresh.fails)), 'failed passwords cost it nothing').not.toBe(
      'rate_limited',
    )
    expect(await guess(OFFICE, 'ada')).toBe('unauthenticated')
  })

  it('at valid invites, with right tokens and of those who come back signed in count nothing', async () => {
    const { attempts, outcome } = createWorld()
    const runs = [
      () => attempts.inviteCheck(from(HOME), 'code', async () => true),
      () => attempts.tokenSignIn(from(HOME), async () => 'in'),
      () => attempts.arrival(from(HOME), async () => 'in'),
    ]
    for (const run of runs) expect(await repeat(100, () => outcome(run()))).toEqual(['done'])
  })

  it('at many invites close the address at 50', async () => {
    const { attempts, outcome } = createWorld()
    const check = (code: string) => outcome(attempts.inviteCheck(from(HOME), code, async () => false))
    expect(await repeat(50, (index) => check(`code-${index}`))).toEqual(['done'])
    expect(await check('another')).toBe('rate_limited')
  })
})
