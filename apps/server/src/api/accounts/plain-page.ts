import { HttpReply } from '../../http/http-reply.ts'

/** The outcomes of a sign-in at a provider that a page can tell. */
export type PageWord =
  | 'account_disabled'
  | 'account_pending'
  | 'broken'
  | 'invalid_invite'
  | 'invalid_state'
  | 'invite_required'
  | 'provider_missing'
  | 'provider_unavailable'
  | 'sign_in_denied'
  | 'sign_in_failed'
  | 'too_many'

const SENTENCES: Readonly<Record<PageWord, string>> = {
  account_disabled: 'This account is switched off. Ask an administrator.',
  account_pending: 'Your account waits for an administrator to approve it.',
  broken: 'The server could not complete the sign-in. Try again later, or ask an administrator.',
  invalid_invite: 'The invite code is not valid: it was used, has expired, or does not exist. Ask for another one.',
  invalid_state: 'This sign-in has expired, or began in another browser. Begin again.',
  invite_required: 'A new account needs an invite code. Ask an administrator.',
  provider_missing: 'This way to sign in is not set up on this server.',
  provider_unavailable: 'The sign-in service does not answer. Try again later.',
  sign_in_denied: 'The sign-in was not allowed: you said no at the service, or the service did.',
  sign_in_failed: 'The sign-in has failed. Begin again.',
  too_many: 'There were too many attempts. Wait a few minutes, and begin again.',
}

/** The page of a sign-in that has failed, on a server without the web interface. */
export function failedSignInPage(word: PageWord, status: number): HttpReply {
  return plainPage('Not signed in', SENTENCES[word], status)
}

/** The page of a sign-in that has succeeded, on a server without the web interface. */
export function signedInPage(): HttpReply {
  return plainPage('Signed in', 'You are signed in. You can close this page.', 200)
}

/** @param title and sentence: texts of this file, without characters that HTML reads */
function plainPage(title: string, sentence: string, status: number): HttpReply {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`
  const html = `<!doctype html><html lang="en"><head>${head}</head><body><h1>${title}</h1><p>${sentence}</p></body></html>\n`
  return new HttpReply(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}
