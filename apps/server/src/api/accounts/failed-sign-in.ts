import { ProviderError } from '@svc/auth/oauth'
import { SvcError } from '@svc/errors'
import { type Call, pathPrefix } from '../../http/call.ts'
import { toStatus } from '../../http/error-map.ts'
import { HttpReply } from '../../http/http-reply.ts'
import { wantsPage } from '../../http/wants-page.ts'
import { failedSignInPage, type PageWord } from './plain-page.ts'

/** Sends a browser on. */
export function redirect(location: string): HttpReply {
  return new HttpReply(null, { status: 307, headers: { location, 'cache-control': 'no-store' } })
}

/** The words of the page for errors, by their codes. The texts of the interface have a sentence for each word. */
const PAGE_WORDS: ReadonlyMap<string, PageWord> = new Map([
  ...(
    [
      'invite_required',
      'invalid_invite',
      'account_pending',
      'account_disabled',
      'invalid_state',
      'sign_in_denied',
      'sign_in_failed',
      'provider_unavailable',
      'provider_missing',
    ] as const
  ).map((code): [string, PageWord] => [code, code]),
  ['missing_code', 'sign_in_failed'],
  ['user_info_failed', 'provider_unavailable'],
  ['too_many_attempts', 'too_many'],
  ['too_many_sign_ins', 'too_many'],
])
/** Programs that know no pages are sent to the page with these too (§5.3). */
const INVITE_FAULTS: ReadonlySet<string> = new Set(['invite_required', 'invalid_invite'])

/** The word of the page for a failure. */
function toPageWord(error: unknown): PageWord {
  if (!SvcError.is(error)) return 'broken'
  return PAGE_WORDS.get(error.code) ?? (toStatus(error) >= 500 ? 'broken' : 'sign_in_failed')
}

/** Whether a reply sends a browser back to the form, or says in a page that the sign-in failed, and whose fault it is. */
export function readSentBack({ headers, status }: HttpReply): 'refused' | 'failed' | undefined {
  if (status >= 400) return status < 500 ? 'refused' : 'failed'
  const word = /\/login\?error=(\w+)$/.exec(headers.location ?? '')?.[1]
  if (word === undefined) return undefined
  return word === 'broken' || word === 'provider_unavailable' ? 'failed' : 'refused'
}

/** Logs a failure. The words of the provider are in fields of their own. */
function logFailure(call: Call, provider: string, error: unknown): void {
  if (call.signal.aborted) return
  if (!SvcError.is(error)) {
    call.log.error({ provider, err: error }, 'a sign-in has failed unexpectedly')
    return
  }
  const { code, cause } = error
  if (cause === undefined && toStatus(error) < 500) return
  const words = cause instanceof ProviderError ? { error: cause.error, description: cause.description } : {}
  call.log.warn({ provider, code, ...words, err: cause ?? error }, 'a sign-in has failed')
}

/**
 * Answers a sign-in that has failed: a browser goes back to the form, which says why, or gets a plain page; a program gets
 * the error.
 *
 * @param options.hasPages whether there is a form to go back to
 * @throws {SvcError} the failure
 */
export function failSignIn(
  call: Call,
  error: unknown,
  { provider, hasPages }: { readonly provider: string; readonly hasPages: boolean },
): HttpReply {
  logFailure(call, provider, error)
  const isInviteFault = SvcError.is(error) && INVITE_FAULTS.has(error.code)
  const isPage = wantsPage(call.incoming.headers.accept) && !call.signal.aborted
  if (isPage && !hasPages) return failedSignInPage(toPageWord(error), SvcError.is(error) ? toStatus(error) : 500)
  if (isInviteFault || isPage) return redirect(`${pathPrefix(call)}/login?error=${toPageWord(error)}`)
  if (SvcError.is(error) && error.code === 'user_info_failed')
    throw new SvcError('internal', error.message, { code: error.code, cause: error })
  throw error
}
