/** Words that a provider gave for a refusal. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  /** The code, such as `access_denied`. */
  readonly error: string
  readonly description: string | undefined

  constructor(words: { readonly error: string; readonly description?: string | undefined }, cause?: unknown) {
    const { error, description } = words
    super(`the provider says ${error}${description === undefined ? '' : `: ${description}`}`, { cause })
    this.error = error
    this.description = description
  }
}

/** The provider has given no answer. */
export class ProviderDown extends Error {
  override readonly name = 'ProviderDown'
}

const MAX_ERROR_LENGTH = 64
const MAX_DESCRIPTION_LENGTH = 500
const MAX_DEPTH = 5
/** Characters that change how a line of a log looks. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ud800-\udfff]/gu

function clean(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.slice(0, maxLength).replace(UNSEEN, ' ').trim()
  return text === '' ? undefined : text
}

/** The words of a refusal, as a provider puts them into addresses and bodies; undefined where there are none. */
export function readProviderError(fields: unknown, cause?: unknown): ProviderError | undefined {
  if (typeof fields !== 'object' || fields === null || !('error' in fields)) return undefined
  const error = clean(fields.error, MAX_ERROR_LENGTH)
  if (error === undefined) return undefined
  const description = 'error_description' in fields ? fields.error_description : undefined
  return new ProviderError({ error, description: clean(description, MAX_DESCRIPTION_LENGTH) }, cause)
}

/** An error and its causes, as far as they are worth a look. */
function* listCauses(thrown: unknown): Generator<object> {
  let error = thrown
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (typeof error !== 'object' || error === null) return
    yield error
    error = 'cause' in error ? error.cause : undefined
  }
}

/** Whether the provider is away or broken: it gave no answer, or one of the class 500. */
export function isProviderDown(thrown: unknown): boolean {
  for (const error of listCauses(thrown))
    if (error instanceof ProviderDown || (error instanceof Response && error.status >= 500)) return true
  return false
}

/** The words that the provider gave with a failed exchange, else the thrown error. */
export async function toProviderError(thrown: unknown): Promise<unknown> {
  for (const error of listCauses(thrown)) {
    const found =
      readProviderError(error, thrown) ?? ('body' in error ? readProviderError(error.body, thrown) : undefined)
    if (found !== undefined) return found
    const response = 'response' in error ? error.response : error
    if (!(response instanceof Response) || response.bodyUsed) continue
    const words = readProviderError(await response.json().catch(() => undefined), thrown)
    if (words !== undefined) return words
  }
  return thrown
}
