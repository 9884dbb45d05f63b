/** A feature switch: something that an account may use besides its role. */
interface FeatureRow {
  readonly key: string
  readonly label: string
  readonly group: 'agent' | 'general' | 'api'
  /** Whether accounts have it unless it is switched off for them. */
  readonly default: boolean
}

/** The feature switches, in the order of the administration's page. */
export const FEATURES = [
  { key: 'agents', label: 'Agents', group: 'agent', default: false },
  { key: 'skills', label: 'Skills', group: 'agent', default: false },
  { key: 'collections', label: 'Collections', group: 'agent', default: false },
  { key: 'mcp_jobs', label: 'MCP jobs', group: 'agent', default: false },
  { key: 'assistant', label: 'Assistant', group: 'agent', default: false },
  { key: 'fine_tuning', label: 'Fine-tuning', group: 'general', default: false },
  { key: 'quantization', label: 'Quantization', group: 'general', default: false },
  { key: 'chat', label: 'Chat and completions', group: 'api', default: true },
  { key: 'images', label: 'Images', group: 'api', default: true },
  { key: 'audio_speech', label: 'Speech', group: 'api', default: true },
  { key: 'audio_transcription', label: 'Transcription', group: 'api', default: true },
  { key: 'audio_diarization', label: 'Diarization', group: 'api', default: true },
  { key: 'audio_classification', label: 'Audio classification', group: 'api', default: true },
  { key: 'vad', label: 'Voice activity', group: 'api', default: true },
  { key: 'detection', label: 'Object detection', group: 'api', default: true },
  { key: 'video', label: 'Video', group: 'api', default: true },
  { key: '3d', label: '3D', group: 'api', default: true },
  { key: 'embeddings', label: 'Embeddings', group: 'api', default: true },
  { key: 'sound', label: 'Sound generation', group: 'api', default: true },
  { key: 'realtime', label: 'Realtime', group: 'api', default: true },
  { key: 'moderation', label: 'Moderation', group: 'api', default: true },
  { key: 'rerank', label: 'Rerank', group: 'api', default: true },
  { key: 'tokenize', label: 'Tokenize', group: 'api', default: true },
  { key: 'mcp', label: 'MCP', group: 'api', default: true },
  { key: 'stores', label: 'Vector stores', group: 'api', default: true },
  { key: 'face_recognition', label: 'Face recognition', group: 'api', default: true },
  { key: 'voice_recognition', label: 'Voice recognition', group: 'api', default: true },
  { key: 'audio_transform', label: 'Audio transformation', group: 'api', default: true },
  { key: 'pii_filter', label: 'PII filter', group: 'api', default: true },
  { key: 'decisions', label: 'Decisions', group: 'api', default: true },
] as const satisfies readonly FeatureRow[]

/** Name of a feature switch. */
export type Feature = (typeof FEATURES)[number]['key']

const KEYS: ReadonlySet<string> = new Set(FEATURES.map(({ key }) => key))

/** Whether a text names a feature switch. */
export function isFeature(value: unknown): value is Feature {
  return typeof value === 'string' && KEYS.has(value)
}

/** Switches of features, by name. */
export type FeatureSwitches = Readonly<Record<string, boolean>>

/**
 * The features that are on for an account: values set by hand, else those of its groups, else the defaults. Of several
 * groups one that turns a feature on wins.
 */
export function resolveFeatures(
  explicit: FeatureSwitches,
  groups: readonly { readonly features: FeatureSwitches }[] = [],
): ReadonlySet<Feature> {
  const readGroups = (key: string): boolean | undefined => {
    const said = groups.flatMap(({ features }) => (Object.hasOwn(features, key) ? [features[key] === true] : []))
    return said.length === 0 ? undefined : said.includes(true)
  }
  const isOn = (row: (typeof FEATURES)[number]): boolean =>
    Object.hasOwn(explicit, row.key) ? explicit[row.key] === true : (readGroups(row.key) ?? row.default)
  return new Set(FEATURES.filter(isOn).map(({ key }) => key))
}
