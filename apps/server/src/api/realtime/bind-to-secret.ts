import { SvcError } from '@svc/errors'
import type { RealtimeSessionFields } from '@svc/wire/realtime'
import type { Call } from '../../http/call.ts'
import type { ClientSecret } from '../../realtime/client-secrets.ts'

/** What a client asks for. */
export interface SessionWish {
  /** Empty where the client names none. */
  readonly model: string
  readonly fields?: RealtimeSessionFields | undefined
}

/** Finds what a client secret is for; undefined for any other credential. */
export type FindSecret = (value: string) => Promise<Pick<ClientSecret, 'model' | 'session'> | undefined>

/**
 * Binds a wish to the client secret of its caller, which says what is opened with it; a wish of another caller stays.
 *
 * @throws {SvcError} `forbidden` for another model, or a wider session
 */
export async function bindToSecret<Wish extends SessionWish>(
  wish: Wish,
  { authentication: { credential } }: Pick<Call, 'authentication'>,
  findSecret: FindSecret,
): Promise<Wish> {
  const secret = credential === undefined ? undefined : await findSecret(credential.value)
  if (secret === undefined) return wish
  const { model, fields } = wish
  if (model !== '' && model !== secret.model) {
    throw new SvcError('forbidden', 'the client secret is for another model', {
      code: 'invalid_model',
      details: { param: 'model' },
    })
  }
  if (secret.session.type === 'transcription' && fields?.type === 'realtime') {
    throw new SvcError('forbidden', 'the client secret is for transcription', {
      code: 'invalid_session',
      details: { param: 'session.type' },
    })
  }
  return { ...wish, model: secret.model, fields: { ...secret.session, ...fields } }
}
