import { describe, expect, it } from 'vitest'
import { createPasswords } from './passwords.ts'

const call = { signal: new AbortController().signal }

describe('a password', () => {
  const passwords = createPasswords()
  const check = (password: unknown, acknowledgesWeak = false) =>
    passwords.check({ password, acknowledgesWeak, knownWords: ['ada.lovelace@site.example', 'Ada Lovelace'] }, call)

  it.each([
    ['', 'password_empty', false],
    [undefined, 'password_empty', false],
    [12345678901234, 'password_empty', false],
    ['short', 'password_too_short', true],
    ['\u{1F600}'.repeat(11), 'password_too_short', true],
    ['a'.repeat(129), 'password_too_long', false],
    ['long enough but\0nul', 'password_null_byte', false],
    ['long enough but \ud800', 'password_null_byte', false],
    ['password1234', 'password_too_weak', true],
    ['qwertyuiop123456', 'password_too_weak', true],
    ['aaaaaaaaaaaaaaaaaaaaaaaa', 'password_too_weak', true],
    ['svcadminsvcadmin', 'password_too_weak', true],
    ['ada.lovelace1', 'password_too_weak', true],
    ['pa5sw0rd'.repeat(16), 'password_too_weak', true],
  ])('%j is refused', async (password, code, overridable) => {
    await expect(check(password)).rejects.toMatchObject({ kind: 'invalid_request', code, details: { overridable } })
  })

  it.each([
    'violet-Marble 92 otter',
    'correct horse battery staple',
    'Привет, мир и 92 выдры',
    `${'\u{1F600}'.repeat(4)}xK9#mQ2$vL`,
  ])('%j is taken', async (password) => {
    expect(await check(password)).toBe(password)
  })

  it('is taken though it is short or weak when the owner insists, and still never empty, long or with NUL', async () => {
    expect(await check('short', true)).toBe('short')
    for (const password of ['', 'a'.repeat(129), 'a\0b']) await expect(check(password, true)).rejects.toThrow()
  })
})

describe('hashing', () => {
  it('verifies what it made, over the whole length', async () => {
    const passwords = createPasswords()
    const long = `${'x'.repeat(100)}A`
    const hash = await passwords.hash(long, call)
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(passwords.isOutdated(hash)).toBe(false)
    expect(await passwords.verify(long, hash, call)).toBe(true)
    expect(await passwords.verify(`${'x'.repeat(100)}B`, hash, call)).toBe(false)
    expect(await passwords.verify(long, undefined, call)).toBe(false)
  })

  it.each(['', 'hash', '$argon2id$', '$2b$10$', '$1$abc$def', '$argon2id$v=19$m=19456,t=2,p=1$!$!'])(
    'takes the hash %j for one of nobody',
    async (hash) => {
      expect(await createPasswords().verify('password', hash, call)).toBe(false)
    },
  )

  it('knows hashes that should be made anew', () => {
    const { isOutdated } = createPasswords()
    expect(isOutdated('$2a$10$abcdefghijklmnopqrstuv')).toBe(true)
    expect(isOutdated('$argon2id$v=19$m=4096,t=3,p=1$c2FsdA$aGFzaA')).toBe(true)
    expect(isOutdated('$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA')).toBe(false)
  })

  it('AU-3: has two at a time, 32 that wait, and refuses the rest, while the event loop goes on', async () => {
    const passwords = createPasswords({ concurrency: 2, maxWaiting: 32 })
    await passwords.verify('warm', undefined, call)
    let turns = 0
    const turn = setInterval(() => {
      turns += 1
    }, 1)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, () => passwords.verify('wrong', undefined, { signal: new AbortController().signal })),
    )
    clearInterval(turn)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(34)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    for (const { reason } of refused)
      expect(reason).toMatchObject({ kind: 'rate_limited', code: 'too_many_sign_ins', retryAfterMs: 1000 })
    // hashes that ran on the main thread would leave it no turn
    expect(turns).toBeGreaterThan(5)
  })

  it('AU-3: lets those who go first pass the others that wait, and bounds them too', async () => {
    const passwords = createPasswords({ concurrency: 1, maxWaiting: 2 })
    const order: string[] = []
    const verify = (name: string, goesFirst: boolean) =>
      passwords.verify('wrong', undefined, { ...call, goesFirst }).then(
        () => order.push(name),
        (error: { code?: string }) => order.push(`${name} ${error.code}`),
      )
    await Promise.all([
      ...[verify('runs', false), verify('a', false), verify('b', false), verify('c', false)],
      ...[verify('known a', true), verify('known b', true), verify('known c', true)],
    ])
    expect(order).toEqual([
      ...['c too_many_sign_ins', 'known c too_many_sign_ins'],
      ...['runs', 'known a', 'known b', 'a', 'b'],
    ])
  })

  it('ends for a caller who has left, and gives the place to the next', async () => {
    const passwords = createPasswords({ concurrency: 1, maxWaiting: 2 })
    const leaving = new AbortController()
    const first = passwords.hash('one', call)
    const second = passwords.hash('two', { signal: leaving.signal })
    const third = passwords.hash('three', call)
    leaving.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    expect(await first).toMatch(/^\$argon2id/)
    expect(await third).toMatch(/^\$argon2id/)
    await expect(passwords.hash('four', { signal: leaving.signal })).rejects.toThrow('gone')
  })
})
