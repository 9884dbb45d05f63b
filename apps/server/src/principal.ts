/** The per-user feature switch a route hangs on. */
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

/** Who is calling, as far as the gate has found out. */
export interface Principal {
  /** `local` when no auth is configured, `legacy` for a shared key, `anonymous` on public routes without credentials. */
  readonly kind: 'local' | 'legacy' | 'anonymous'
  readonly id: string
  readonly name: string
  readonly role: 'admin' | 'user' | 'none'
  /** The features that are on for a caller; admins have them all. @default all */
  readonly features?: ReadonlySet<Feature> | undefined
}

/** The caller where nothing is restricted: an admin on the own machine (§1). */
export const LOCAL_PRINCIPAL: Principal = { kind: 'local', id: 'local', name: 'Local', role: 'admin' }

/** A holder of a shared key (§2.4): full admin access, no role separation. */
export const LEGACY_PRINCIPAL: Principal = { kind: 'legacy', id: 'legacy-api-key', name: 'API Key User', role: 'admin' }

/** Nobody: a public route called without valid credentials. */
export const ANONYMOUS_PRINCIPAL: Principal = { kind: 'anonymous', id: '', name: '', role: 'none' }
