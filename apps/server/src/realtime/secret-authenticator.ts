import {
  ANONYMOUS_PRINCIPAL,
  type Authentication,
  type Authenticator,
  type Credential,
  extractCredentials,
  LEGACY_PRINCIPAL,
  type Principal,
  type SharedKeys,
} from '@svc/auth'
import type { Clock } from '../ports.ts'
import { type ClientSecret, type ClientSecrets, isClientSecret } from './client-secrets.ts'

type CoreAuthenticator = Pick<Authenticator, 'isConfigured' | 'authenticate' | 'recheck'>

/** Parts of {@link withClientSecrets}. */
export interface SecretAuthenticatorParts {
  readonly secrets: Pick<ClientSecrets, 'find' | 'hashKey'>
  readonly sharedKeys: Pick<SharedKeys, 'hasHash'>
  /** Gives the name of the model that a name or an alias stands for; undefined for an unknown one. */
  readonly resolveModel: (name: string) => string | undefined
  readonly clock: Pick<Clock, 'now'>
}

const LOOK_UP_MS = 10_000

/**
 * Lets client secrets in beside other credentials. The caller is the maker of the secret with its rights of now, for
 * realtime routes and the model of the secret only.
 */
export function withClientSecrets(inner: CoreAuthenticator, parts: SecretAuthenticatorParts): CoreAuthenticator {
  const { secrets, sharedKeys, resolveModel, clock } = parts

  /** The maker with the rights of now. */
  async function findMaker(
    { maker }: ClientSecret,
    { credential, signal }: { readonly credential: Credential; readonly signal: AbortSignal },
  ): Promise<Authentication | undefined> {
    const known = { credential, isRotationDue: false, expiresAt: undefined }
    switch (maker.kind) {
      case 'shared':
        return sharedKeys.hasHash(maker.id, secrets.hashKey) ? { ...known, principal: LEGACY_PRINCIPAL } : undefined
      case 'local':
        return inner.isConfigured ? undefined : asAuthentication(inner.authenticate({}))
      default: {
        const found: Principal =
          maker.kind === 'key'
            ? { ...ANONYMOUS_PRINCIPAL, apiKey: { id: maker.id, name: '' } }
            : { ...ANONYMOUS_PRINCIPAL, sessionId: maker.id }
        return inner.recheck({ ...known, principal: found }, { signal })
      }
    }
  }
  async function find(
    credential: Credential,
    { signal, acceptsExpired }: { readonly signal: AbortSignal; readonly acceptsExpired: boolean },
  ): Promise<Authentication | undefined> {
    const secret = await secrets.find(credential.value)
    if (secret === undefined || (!acceptsExpired && secret.expiresAt <= clock.now())) return undefined
    const found = await findMaker(secret, { credential, signal })
    if (found === undefined) return undefined
    return { ...found, credential, isRotationDue: false, principal: limit(found.principal, secret, resolveModel) }
  }

  return {
    get isConfigured() {
      return inner.isConfigured
    },
    authenticate(headers, credentials = extractCredentials(headers)) {
      const secret = credentials.find(({ value }) => isClientSecret(value))
      if (secret === undefined) return inner.authenticate(headers, credentials)
      return find(secret, { signal: AbortSignal.timeout(LOOK_UP_MS), acceptsExpired: false })
    },
    recheck(authentication, options) {
      const { credential, expiresAt } = authentication
      if (credential === undefined || !isClientSecret(credential.value)) return inner.recheck(authentication, options)
      if (expiresAt !== undefined && expiresAt <= clock.now()) return Promise.resolve(undefined)
      // an open session outlives its secret, but not its maker
      return find(credential, { signal: options.signal as AbortSignal, acceptsExpired: true })
    },
  }
}

function asAuthentication(found: ReturnType<CoreAuthenticator['authenticate']>): Promise<Authentication | undefined> {
  return Promise.resolve(found)
}

/** Narrows the rights of a maker to those of the secret. The maker may know its model by another name. */
function limit(
  principal: Principal,
  { model }: ClientSecret,
  resolveModel: SecretAuthenticatorParts['resolveModel'],
): Principal {
  const { routes, models } = principal.scopes ?? {}
  const isModel = (name: string): boolean => {
    const resolved = resolveModel(name)
    return name === model || (resolved !== undefined && resolved === resolveModel(model))
  }
  return {
    ...principal,
    scopes: {
      routes: routes === undefined || routes.includes('realtime') ? ['realtime'] : [],
      models: models === undefined || models.some(isModel) ? [model] : [],
    },
  }
}
