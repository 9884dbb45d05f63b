import { availableParallelism } from 'node:os'
import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import { createTaskQueue, type QueuedOptions } from './task-queue.ts'

/** The reason why a password is refused. */
export type PasswordFault =
  | 'password_empty'
  | 'password_too_short'
  | 'password_too_long'
  | 'password_null_byte'
  | 'password_too_weak'

/** A password to be checked, and the words that make it weak. */
export interface PasswordCheck {
  readonly password: unknown
  /** Words that make a password weak, such as the address and the name of its account. */
  readonly knownWords?: readonly string[] | undefined
  /** Takes a short or weak password all the same. @default false */
  readonly acknowledgesWeak?: boolean | undefined
}

/** Checks, hashes and verifies passwords. */
export interface Passwords {
  /**
   * The password of a request.
   *
   * @throws {AuthError} `invalid_request` with the {@link PasswordFault} as code and `details.overridable`
   */
  check(check: PasswordCheck, options: CallOptions): Promise<string>
  /**
   * An argon2id hash.
   *
   * @throws {AuthError} `rate_limited` when too many wait
   */
  hash(password: string, options: CallOptions): Promise<string>
  /**
   * Whether a password is that of a hash: argon2, or bcrypt of an imported account. Without a hash it does the same
   * work and says no, so that unknown accounts take as long as known ones.
   *
   * @param options.goesFirst whether it goes before others that wait; they cannot keep it out
   * @throws {AuthError} `rate_limited` when too many wait
   */
  verify(password: string, hash: string | undefined, options: QueuedOptions): Promise<boolean>
  /** Whether a hash is of an older kind or strength and should be made anew at the next sign-in. */
  isOutdated(hash: string): boolean
}

/** Options of {@link createPasswords}. */
export interface PasswordsOptions {
  /** Hashings at a time. @default 2, and one processor is left for the event loop */
  readonly concurrency?: number | undefined
  /** Hashings that wait, and as many that go first. @default 32 */
  readonly maxWaiting?: number | undefined
  /** Names of the product, which make a password weak. @default svc */
  readonly productWords?: readonly string[] | undefined
}

/** NUL and lone surrogates. */
const UNSTORABLE = /[\0\ud800-\udfff]/u
const MIN_LENGTH = 12
const MAX_LENGTH = 128
const MIN_SCORE = 3
const DEFAULT_CONCURRENCY = Math.max(1, Math.min(2, availableParallelism() - 1))
/** Estimating the strength of more characters at once would hold the event loop for long. */
const ESTIMATED_LENGTH = 32
/** argon2id with 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const CURRENT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/
const ARGON2 = /^\$argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,9},p=\d{1,9}\$[\w+/]+\$[\w+/]+$/
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/
/** A hash of a random value that nobody knows. */
const DECOY = '$argon2id$v=19$m=19456,t=2,p=1$Q17P+9dGPwg0mk4oF+KA9Q$vwqVpm1lGyfUR539m3cGGEV4VfxsYxH1OiUYN+KV8mY'
/** bcrypt looks at no more bytes. */
const BCRYPT_BYTES = 72

function refused(message: string, code: PasswordFault, overridable: boolean): AuthError {
  return new AuthError('invalid_request', message, { code, details: { overridable } })
}

type Estimate = (password: string, knownWords: readonly string[]) => number

/** The estimator with its dictionaries, loaded when the first password is set. */
async function loadEstimator(productWords: readonly string[]): Promise<Estimate> {
  const [{ ZxcvbnFactory }, common] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const factory = new ZxcvbnFactory({
    dictionary: { ...common.dictionary, product: [...productWords] },
    graphs: common.adjacencyGraphs,
  })
  return (password, knownWords) => factory.check(password, [...knownWords]).score
}

/** Passwords: argon2id on the thread pool, a few at a time. */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  const { concurrency = DEFAULT_CONCURRENCY, maxWaiting = 32, productWords = ['svc'] } = options
  const queue = createTaskQueue({ concurrency, maxWaiting })
  let estimator: Promise<Estimate> | undefined

  async function isStrong(password: string, knownWords: readonly string[]): Promise<boolean> {
    estimator ??= loadEstimator(['admin', ...productWords])
    const estimate = await estimator
    if (estimate(password.slice(0, ESTIMATED_LENGTH), knownWords) >= MIN_SCORE) return true
    if (password.length <= ESTIMATED_LENGTH) return false
    await new Promise((resolve) => setImmediate(resolve))
    return estimate(password.slice(-ESTIMATED_LENGTH), knownWords) >= MIN_SCORE
  }

  const hashNow = async (password: string): Promise<string> => {
    const { hash } = await import('@node-rs/argon2')
    return hash(password, COST)
  }

  async function verifyNow(password: string, hash: string | undefined): Promise<boolean> {
    const { verify } = await import('@node-rs/argon2')
    if (hash !== undefined && ARGON2.test(hash)) return verify(hash, password)
    if (hash === undefined || !BCRYPT.test(hash)) {
      await verify(DECOY, password)
      return false
    }
    if (Buffer.byteLength(password) > BCRYPT_BYTES) return false
    const { default: bcrypt } = await import('bcrypt')
    return bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2b$'))
  }

  return {
    async check({ password, knownWords = [], acknowledgesWeak = false }, { signal }) {
      if (typeof password !== 'string' || password === '')
        throw refused('password is required', 'password_empty', false)
      if (UNSTORABLE.test(password))
        throw refused('password holds characters that are not allowed', 'password_null_byte', false)
      const { length } = [...password]
      if (length > MAX_LENGTH)
        throw refused(`password is longer than ${MAX_LENGTH} characters`, 'password_too_long', false)
      if (acknowledgesWeak) return password
      if (length < MIN_LENGTH)
        throw refused(`password must have at least ${MIN_LENGTH} characters`, 'password_too_short', true)
      const words = knownWords.flatMap((word) => [word, ...word.split(/[@\s]+/)]).filter((word) => word.length > 2)
      if (!(await isStrong(password, words))) throw refused('password is too easy to guess', 'password_too_weak', true)
      signal.throwIfAborted()
      return password
    },
    hash: (password, call) => queue.run(() => hashNow(password), call),
    verify: (password, hash, call) => queue.run(() => verifyNow(password, hash), call),
    isOutdated(hash) {
      const [, memory, time] = CURRENT.exec(hash) ?? []
      return memory === undefined || Number(memory) < COST.memoryCost || Number(time) < COST.timeCost
    },
  }
}
