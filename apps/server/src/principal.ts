/** The per-user feature that a route requires. */
export type Feature =
  | 'chat'
  | 'images'
  | 'audio_speech'
  | 'audio_transcription'
  | 'audio_diarization'
  | 'audio_classification'
  | 'vad'
  | 'detection'
  | 'video'
  | 'embeddings'
  | 'sound'
  | 'realtime'
  | 'moderation'
  | 'rerank'
  | 'tokenize'
  | 'mcp'
  | 'stores'
  | 'pii_filter'
  | 'agents'

/** The identified caller of a request. */
export interface Principal {
  /** `local` when no auth is configured, `legacy` for a shared key, `anonymous` on public routes without credentials. */
  readonly kind: 'local' | 'legacy' | 'anonymous'
  readonly id: string
  readonly name: string
  readonly role: 'admin' | 'user' | 'none'
  /** Enabled features of a caller; admins have all of them. @default all */
  readonly features?: ReadonlySet<Feature> | undefined
}

/** The caller without restrictions: an admin on the own machine (§1). */
export const LOCAL_PRINCIPAL: Principal = { kind: 'local', id: 'local', name: 'Local', role: 'admin' }

/** A holder of a shared key (§2.4): full admin access, no role separation. */
export const LEGACY_PRINCIPAL: Principal = { kind: 'legacy', id: 'legacy-api-key', name: 'API Key User', role: 'admin' }

/** An unidentified caller of a public route. */
export const ANONYMOUS_PRINCIPAL: Principal = { kind: 'anonymous', id: '', name: '', role: 'none' }
