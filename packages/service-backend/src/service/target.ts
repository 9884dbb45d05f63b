import type { Header } from '@svc/http-client'
import { createCredentialHeaders, type KeySettings, readUpstreamKey, type SecretReader } from '@svc/proxy'
import { parseServiceUrl } from './url.ts'

/** The settings of a model that another instance serves (§2.13). */
export interface ServiceSettings extends KeySettings {
  /** The root of the instance; `/v1` and the rest after it is cut off. */
  readonly upstreamUrl?: string | undefined
  /** The model's name there. @default its own name here */
  readonly upstreamModel?: string | undefined
  /** Limit for each request that does not stream. @default no limit beside that of the headers */
  readonly requestTimeoutSeconds?: number | undefined
  /** Names a realtime pipeline of the instance, for live transcription. */
  readonly realtimePipeline?: string | undefined
  /** Whose routes the upstream has. @default 'instance' */
  readonly api?: UpstreamApi | undefined
  /** Has no effect; a warning says so. */
  readonly mode?: string | undefined
  /** Has no effect; a warning says so. */
  readonly provider?: string | undefined
}

/** Another instance of this server, or a provider with OpenAI's routes. */
export const UPSTREAM_APIS = ['instance', 'openai'] as const
export type UpstreamApi = (typeof UPSTREAM_APIS)[number]

/** A model of another instance, ready for requests: its settings are checked and its key is read. */
export interface ServiceTarget {
  /** Its path ends in a slash. */
  readonly root: URL
  /** The model's name there; every request carries it. */
  readonly model: string
  readonly timeoutMs: number | undefined
  readonly realtimePipeline: string | undefined
  readonly api: UpstreamApi
  /** The same for every request, including the key: never log or show them. */
  readonly headers: readonly Header[]
  /** Texts to redact in an instance's messages: the key, if there is one. */
  readonly secrets: readonly string[]
}

/**
 * Checks a model's settings and reads its key, once, when the model is loaded.
 *
 * @param settings.upstreamModel the model's name at the instance; `name` when absent
 * @throws {SvcError} `invalid_proxy_settings`, with the setting's name and never its key
 */
export async function loadServiceTarget(
  settings: ServiceSettings,
  options: {
    /** The model's own name. */
    readonly name: string
    readonly secrets: SecretReader
    /** Receives warnings about settings that do not prevent the use of the model. */
    readonly warn: (message: string) => void
    readonly userAgent?: string | undefined
  },
): Promise<ServiceTarget> {
  const { root, warning } = parseServiceUrl(settings.upstreamUrl)
  const key = await readUpstreamKey(settings, options.secrets)
  if (warning !== undefined) options.warn(warning)
  for (const setting of ['mode', 'provider'] as const) {
    if (settings[setting]) options.warn(`proxy.${setting}: means nothing to a service proxy`)
  }
  const seconds = settings.requestTimeoutSeconds ?? 0
  return {
    root,
    model: settings.upstreamModel || options.name,
    timeoutMs: seconds > 0 ? seconds * 1000 : undefined,
    realtimePipeline: settings.realtimePipeline || undefined,
    api: settings.api ?? 'instance',
    headers: [
      ['user-agent', options.userAgent ?? 'svc'],
      ['accept-encoding', 'identity'],
      ...createCredentialHeaders('provider_a', key),
    ],
    secrets: key === undefined ? [] : [key],
  }
}
