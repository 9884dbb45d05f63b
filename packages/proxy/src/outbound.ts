import { checkArgument, SvcError } from '@svc/errors'
import type { Header, UpstreamRequest } from '@svc/http-client'
import { checkProvider } from './check-provider.ts'
import { type ClientHeader, createCredentialHeaders, selectClientHeaders } from './headers.ts'
import type { Provider, SecretReader } from './ports.ts'

/** Source of an upstream's key: a variable, a file, or none. */
export interface KeySettings {
  /** Name of an environment variable. */
  readonly apiKeyEnv?: string | undefined
  /** Path of a file; blanks around the key are dropped. */
  readonly apiKeyFile?: string | undefined
}

/** The settings of a model at an upstream (§2.13). */
export interface CloudSettings extends KeySettings {
  /** The full address of the endpoint. */
  readonly upstreamUrl?: string | undefined
  /** @default 'provider_a' */
  readonly provider?: Provider | undefined
  /** The model's name there. @default the name that the client used */
  readonly upstreamModel?: string | undefined
  /** Limit for each reply that is not streamed. @default no limit beside that of the headers */
  readonly requestTimeoutSeconds?: number | undefined
}

/** A model at an upstream, ready for requests: its settings are checked and its key is read. */
export interface CloudTarget {
  readonly url: URL
  readonly provider: Provider
  readonly upstreamModel: string | undefined
  readonly timeoutMs: number | undefined
  /** The same for every request, including the key: never log or show them. */
  readonly headers: readonly Header[]
}

/** The error of a wrong setting of an upstream. */
function invalidSetting(param: string, message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, {
    code: 'invalid_proxy_settings',
    details: { param },
    ...(cause === undefined ? {} : { cause }),
  })
}

/**
 * Checks a model's settings and reads its key, once, when the model is loaded.
 *
 * @throws {SvcError} `invalid_proxy_settings`, with the setting's name and never its key
 * @example
 * const target = await loadCloudTarget({ upstreamUrl, apiKeyEnv: 'UPSTREAM_KEY' }, { secrets })
 */
export async function loadCloudTarget(
  settings: CloudSettings,
  options: { readonly secrets: SecretReader; readonly userAgent?: string | undefined },
): Promise<CloudTarget> {
  const { provider = 'provider_a', upstreamModel, requestTimeoutSeconds } = settings
  checkProvider(provider, 'loadCloudTarget')
  const url = parseUpstreamUrl(settings.upstreamUrl)
  const key = await readUpstreamKey(settings, options.secrets)
  return {
    url,
    provider,
    upstreamModel: upstreamModel === '' ? undefined : upstreamModel,
    timeoutMs:
      requestTimeoutSeconds === undefined || requestTimeoutSeconds <= 0 ? undefined : requestTimeoutSeconds * 1000,
    headers: [
      ['user-agent', options.userAgent ?? 'svc'],
      ['accept-encoding', 'identity'],
      ...createCredentialHeaders(provider, key),
    ],
  }
}

/**
 * The address of an upstream.
 *
 * @throws {SvcError} `invalid_proxy_settings` unless it is absolute, http or https, and without credentials
 */
export function parseUpstreamUrl(text: string | undefined): URL {
  const param = 'proxy.upstream_url'
  if (text === undefined || text.trim() === '') throw invalidSetting(param, 'is needed')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalidSetting(param, 'must be an absolute http or https address')
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidSetting(param, 'must not hold a user name or password: set api_key_env or api_key_file')
  }
  url.hash = ''
  return url
}

/** A key goes into one header: visible ASCII. */
const KEY = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

/**
 * Reads the key that the settings name.
 *
 * @returns undefined when they name no key: then no credential is sent @throws {SvcError} `invalid_proxy_settings` for
 *   both sources at once, an unset or empty variable, a file that is unreadable, empty or without a key
 */
export async function readUpstreamKey(settings: KeySettings, secrets: SecretReader): Promise<string | undefined> {
  const { apiKeyEnv = '', apiKeyFile = '' } = settings
  if (apiKeyEnv !== '' && apiKeyFile !== '') {
    throw invalidSetting('proxy.api_key_file', 'cannot be set beside api_key_env')
  }
  if (apiKeyEnv !== '') {
    return checkedKey(readVariable(apiKeyEnv, secrets), 'proxy.api_key_env', `the variable ${apiKeyEnv}`)
  }
  if (apiKeyFile === '') return undefined
  const param = 'proxy.api_key_file'
  const text = await secrets.file(apiKeyFile).catch((error: unknown) => {
    throw invalidSetting(param, SvcError.is(error) ? error.message : 'the file cannot be read', error)
  })
  return checkedKey(text, param, 'the file')
}

function readVariable(name: string, secrets: SecretReader): string | undefined {
  try {
    return secrets.variable(name)
  } catch (error) {
    throw invalidSetting('proxy.api_key_env', SvcError.is(error) ? error.message : 'cannot be read', error)
  }
}

function checkedKey(text: string | undefined, param: string, source: string): string {
  const key = text?.trim() ?? ''
  if (key === '') throw invalidSetting(param, `${source} is ${text === undefined ? 'not set' : 'empty'}`)
  if (!KEY.test(key)) throw invalidSetting(param, `${source} holds characters that no key has`)
  return key
}

/**
 * Builds a request to a target: its own headers, the permitted headers of the client, and a body.
 *
 * @throws {SvcError} `loop` when the request has passed too many servers
 */
export function createCloudRequest(
  target: CloudTarget,
  options: { readonly client: ClientHeader; readonly body: Uint8Array; readonly isStream: boolean },
): UpstreamRequest {
  const { url, provider, headers, timeoutMs } = target
  checkArgument(options.body instanceof Uint8Array, 'cloudRequest: body', 'a Uint8Array', options.body)
  return {
    method: 'POST',
    url,
    headers: [...headers, ...selectClientHeaders(provider, options.client)],
    body: options.body,
    timeoutMs: options.isStream ? undefined : timeoutMs,
  }
}
